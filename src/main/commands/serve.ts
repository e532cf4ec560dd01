import { columns, defineCommand } from '../command.ts'
import { SETTINGS } from '../config.ts'
import { UserError } from '../user-error.ts'

export const serveCommand = defineCommand({
  name: 'serve',
  summary: 'Run the service until SIGINT or SIGTERM',
  about: [
    'Starts PostgreSQL in DATA_DIR unless DATABASE_URL names a server, brings the schema up to date, imports',
    'the demo catalog into an empty store, and serves. SIGINT lets requests in flight finish; so does SIGTERM',
    'when SHUTDOWN_DELAY_MS are over. A second signal a second later or more ends that delay, and else the',
    'process at once.',
    '',
    'Settings (environment or .env):',
    ...columns(
      SETTINGS.map((setting) => [
        setting.name,
        `${setting.description}${setting.default === '' ? '' : ` Default: ${setting.default}.`}`,
      ]),
    ),
  ].join('\n'),
  arguments: [],
  options: {
    only: {
      type: 'string',
      value: 'PART',
      description:
        'api: REST and gRPC alone; jobs: the work on schedule alone, health and metrics on JOBS_PORT. Default: both.',
    },
  },
  async run({ config, log, values: { only } }) {
    if (only !== undefined && only !== 'api' && only !== 'jobs') {
      throw new UserError('--only must be api or jobs', { exit_code: 2 })
    }
    // Fastify and what comes with it are loaded for this command alone.
    const { serve } = await import('../serve.ts')
    await serve({ config, log, parts: only === undefined ? ['api', 'jobs'] : [only] })
  },
})
