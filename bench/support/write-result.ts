import { mkdir, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'

const FOLDER = join(import.meta.dirname, '../results')

/** Writes the text to a file of its own, named by the time and the scenarios that were asked for; answers its path. */
export async function writeResult(text: string, scenarios: readonly string[]): Promise<string> {
  const time = new Date().toISOString().slice(0, 19).replace('T', '-').replaceAll(':', '')
  const path = join(FOLDER, `${[time, ...scenarios].join('-')}.md`)
  await mkdir(FOLDER, { recursive: true })
  await writeFile(path, `# Bench\n\n${text}\n`)
  return relative(process.cwd(), path)
}
