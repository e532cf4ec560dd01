/** A test by its full name (`describe > test`) as vitest prints it, or a describe: then every test in it. */
export type Proof = { readonly file: string; readonly name: string }

/** A sentence, a row of a table or, when `is_message`, the exact text of an error; in the words of the contract. */
export type Statement = {
  readonly text: string
  readonly is_message: boolean
  readonly proofs: readonly [Proof, ...Proof[]]
}

/** A part of the contract under its own title. */
export type Section = { readonly title: string; readonly statements: readonly Statement[] }

/** Makes proofs of the tests in a file. */
export function testsOf(file: string): (name: string) => Proof {
  return (name) => ({ file, name })
}

export function says(text: string, ...proofs: Statement['proofs']): Statement {
  return { text, is_message: false, proofs }
}

export function message(text: string, ...proofs: Statement['proofs']): Statement {
  return { text, is_message: true, proofs }
}

/** Rows that one test proves together, since it compares the whole record. */
export function rows(texts: readonly string[], ...proofs: Statement['proofs']): Statement[] {
  return texts.map((text) => says(text, ...proofs))
}

/** What has to stand between the placeholders (`<status>`, `{dt}`) of a message. */
export function literalParts(text: string): string[] {
  return text.split(/<[^>]+>|\{[^}]*\}/).filter((part) => part !== '')
}
