/**
 * Writes openapi/openapi.json, the description of the REST interface that the service also serves at /openapi.json; with
 * `--check` compares instead, and exits 1 when the file is not what the routes say.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import manifest from '../package.json' with { type: 'json' }
import { openApiText } from '../src/http/openapi.ts'
import { createHttpServer, type HttpDeps } from '../src/http/server.ts'
import { createLog } from '../src/platform/log.ts'
import { createMetrics } from '../src/platform/metrics.ts'

const FILE = new URL('openapi.json', import.meta.url)

const unused = () => {
  throw new Error('describing the routes runs none of them')
}

const deps: HttpDeps = {
  log: createLog('error'),
  metrics: createMetrics(),
  isReady: unused,
  isStopping: () => false,
  authenticate: unused,
  rate_limit: 0,
  public_url: 'http://127.0.0.1:8080',
  version: manifest.version,
  db: {
    target: { connectionString: '' },
    quick: { query: unused, execute: unused },
    query: unused,
    execute: unused,
    transaction: unused,
    longTransaction: unused,
    connect: unused,
    close: unused,
  },
  catalog: { event: unused, events: unused, partner: unused },
  seating: { of: unused },
  desk: { submit: unused },
  findEventOfTicket: unused,
  getOrder: unused,
  listOrders: unused,
  createRefundRequest: unused,
  changeRefundRequest: unused,
  listRefundRequests: unused,
  partnerName: unused,
}

const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } })
const app = await createHttpServer(deps)
const text = openApiText(app)
await app.close()
if (!values.check) await writeFile(FILE, text)
else if ((await readFile(FILE, 'utf8')) !== text) {
  process.stderr.write('openapi/openapi.json is not what the routes say: run npm run generate\n')
  process.exitCode = 1
}
