import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { contractTable } from './contract-table.ts'
import { literalParts } from './statement.ts'
import { SECTIONS } from './statements.ts'

const statements = SECTIONS.flatMap((section) => section.statements)
const messages = statements.filter((statement) => statement.is_message)

test('docs/contract.md is what the statements and their proofs say', async () => {
  await expect(contractTable()).toMatchFileSnapshot('../../docs/contract.md')
})

test('no statement stands twice in a section', () => {
  for (const section of SECTIONS) {
    const texts = section.statements.map(({ text }) => text)
    expect(texts).toEqual([...new Set(texts)])
  }
})

test.each(messages.map(({ text, proofs }) => ({ text, proofs })))(
  'the exact text is in the wire tests that prove it: $text',
  async ({ text, proofs }) => {
    for (const { file } of proofs) {
      expect(file).toMatch(/^tests\/http-v2\//)
      const source = await readFile(file, 'utf8')
      for (const part of literalParts(text)) expect(source).toContain(part)
    }
  },
)
