import { basename } from 'node:path'
import { SECTIONS } from './statements.ts'
import type { Proof, Statement } from './statement.ts'

const all = SECTIONS.flatMap((section) => section.statements)
const messages = all.filter((statement) => statement.is_message)

const HEAD = `# The contract and its tests

Every statement of the API's contract that speaks of the REST interface, with the tests that prove it: ${all.length} statements,
of which ${messages.length} are texts of errors. What the contract leaves open, and the gRPC service, are not here. A run of the whole
suite (\`npm test\`) fails when a test named here does not exist or did not pass. A describe that is named stands for every
test in it. This file is written by \`npm test -- tests/contract -u\` from
[tests/contract/statements](../tests/contract/statements); do not edit it.
`

/** The text of docs/contract.md. */
export function contractTable(): string {
  const parts = SECTIONS.map(
    ({ title, statements }) =>
      `## ${title}\n\n| Statement | Proved by |\n|---|---|\n${statements.map(rowOf).join('')}`,
  )
  return [HEAD, ...parts].join('\n')
}

function rowOf({ text, is_message, proofs }: Statement): string {
  const statement = is_message ? code(text) : text.replaceAll('|', '\\|')
  return `| ${statement} | ${proofs.map(linkOf).join('<br>')} |\n`
}

function linkOf({ file, name }: Proof): string {
  return `[${basename(file, '.test.ts')}](../${file}): ${code(name)}`
}

function code(text: string): string {
  return `\`${text.replaceAll('|', '\\|')}\``
}
