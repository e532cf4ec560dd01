import { relative } from 'node:path'
import type { TestModule, TestProject, Vitest } from 'vitest/node'
import type { Proof } from './statement.ts'
import { SECTIONS } from './statements.ts'

/**
 * After a run of the whole suite: fails it when a statement of the contract is not proved by it, because a test that is
 * named as a proof does not exist or did not pass. A run of some files or names says nothing.
 */
export default function setup({ vitest }: TestProject): () => Promise<void> {
  return async () => {
    const modules = vitest.state.getTestModules()
    if (!(await isWholeSuite(vitest, modules))) return
    const faults = faultsOf(stateOfTests(vitest.config.root, modules))
    if (faults.length === 0) return
    process.exitCode = 1
    vitest.logger.error(`The contract is not proved (tests/contract):\n${faults.join('\n')}\n`)
  }
}

async function isWholeSuite(vitest: Vitest, modules: readonly TestModule[]): Promise<boolean> {
  if (vitest.config.testNamePattern !== undefined) return false
  const ended = modules.filter((module) => !['queued', 'pending'].includes(module.state()))
  return ended.length === (await vitest.globTestSpecifications()).length
}

/** `passed`, `failed` or `skipped` for each test, by its file and full name. */
type States = ReadonlyMap<string, ReadonlyMap<string, string>>

function stateOfTests(root: string, modules: readonly TestModule[]): States {
  return new Map(
    modules.map((module) => [
      relative(root, module.moduleId),
      new Map([...module.children.allTests()].map((test) => [test.fullName, test.result().state])),
    ]),
  )
}

function faultsOf(states: States): string[] {
  return SECTIONS.flatMap(({ title, statements }) =>
    statements.flatMap(({ text, proofs }) =>
      proofs.flatMap((proof) => {
        const fault = faultOf(proof, states)
        return fault === undefined ? [] : [`${title}: ${text}\n  ${proof.file} > ${proof.name}: ${fault}`]
      }),
    ),
  )
}

function faultOf({ file, name }: Proof, states: States): string | undefined {
  const named = [...(states.get(file) ?? [])].filter(
    ([full_name]) => full_name === name || full_name.startsWith(`${name} > `),
  )
  if (named.length === 0) return 'there is no such test'
  return named.every(([, state]) => state === 'passed') ? undefined : 'did not pass'
}
