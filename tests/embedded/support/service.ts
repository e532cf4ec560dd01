/**
 * A service in a process of its own: starts the server of the folder in argv[2], runs the SQL in argv[3], reports one
 * line of JSON and stays. SIGTERM: stop() and exit; SIGUSR2: exit without stop(); SIGINT does nothing.
 */
import { Client } from 'pg'
import type { EmbeddedServer } from '../../../src/platform/embedded/start-embedded.ts'

// Where the launcher lies in an installation of its own, the test of closed folders says so.
const launcher = process.env['LAUNCHER'] ?? '../../../src/platform/embedded/start-embedded.ts'
const { startEmbedded } = (await import(launcher)) as {
  startEmbedded: (options: { data_dir: string }) => Promise<EmbeddedServer>
}

process.on('SIGINT', () => undefined)
try {
  const begun_at = performance.now()
  const server = await startEmbedded({ data_dir: process.argv[2]! })
  const started_ms = Math.round(performance.now() - begun_at)
  process.on('SIGTERM', () => void server.stop().then(() => process.exit(0)))
  process.on('SIGUSR2', () => process.exit(0))
  const statement = process.argv[3]
  if (statement) {
    const client = new Client(server.connection)
    await client.connect()
    await client.query(statement)
    await client.end()
  }
  console.log(JSON.stringify({ started: server.started, connection: server.connection, started_ms }))
  setInterval(() => undefined, 60_000)
} catch (error) {
  console.log(JSON.stringify({ error: (error as Error).message }))
  process.exit(1)
}
