/** What a command of the command line is: its help, its arguments, and what it does. */
import { parseArgs } from 'node:util'
import type { Log } from '../platform/log.ts'
import type { Config } from './config.ts'
import { UserError } from './user-error.ts'

type Option = {
  type: 'string' | 'boolean'
  /** May be given several times. */
  multiple?: true
  required?: true
  /** What stands for the value in the help. */
  value?: string
  description: string
}

type Value<O extends Option> = O['type'] extends 'boolean'
  ? boolean
  : O['multiple'] extends true
    ? string[]
    : string

/** One text per argument, in their order. */
type Arguments<A extends readonly string[]> = { [Index in keyof A]: string }

type Values<O extends Record<string, Option>> = {
  [Name in keyof O]: O[Name]['required'] extends true ? Value<O[Name]> : Value<O[Name]> | undefined
}

/** What every command works with. */
export type Context = { config: Config; log: Log }

type Definition<A extends readonly string[], O extends Record<string, Option>> = {
  /** One or two words. */
  name: string
  summary: string
  /** More for the help, lines of up to 100 characters. */
  about?: string
  /** All are required. */
  arguments: A
  options: O
  run(input: Context & { arguments: Arguments<A>; values: Values<O> }): Promise<void>
}

export type Command = {
  readonly name: string
  readonly summary: string
  help(): string
  /** `words` is what follows the name. Throws UserError with exit code 2 when they are not what the command takes. */
  run(words: string[], context: Context): Promise<void>
}

export function defineCommand<const A extends readonly string[], const O extends Record<string, Option>>(
  definition: Definition<A, O>,
): Command {
  const { name, summary, about } = definition
  const usage = usageOf(definition)
  return {
    name,
    summary,
    help: () => {
      const rows = Object.entries<Option>(definition.options).map(([option, described]): [string, string] => [
        optionText(option, described),
        described.description,
      ])
      return [
        `Usage: ${usage}`,
        '',
        `${summary}.`,
        ...(about === undefined ? [] : ['', about]),
        '',
        'Options:',
        ...columns([...rows, ['--help', 'Show this and do nothing.']]),
        '',
      ].join('\n')
    },
    run: async (words, context) => {
      const { positionals, values } = parse(words, definition.options, usage)
      const missing = [
        ...definition.arguments.slice(positionals.length),
        ...Object.entries<Option>(definition.options)
          .filter(([option, { required }]) => required && values[option] === undefined)
          .map(([option]) => `--${option}`),
      ]
      if (missing.length > 0) throw usageError(`${missing.join(' and ')} missing`, usage)
      const extra = positionals[definition.arguments.length]
      if (extra !== undefined) throw usageError(`unexpected argument '${extra}'`, usage)
      await definition.run({
        ...context,
        arguments: positionals as unknown as Arguments<A>,
        values: values as Values<O>,
      })
    },
  }
}

function parse(words: string[], options: Record<string, Option>, usage: string) {
  try {
    return parseArgs({ args: words, options, allowPositionals: true })
  } catch (error) {
    throw usageError((error as Error).message, usage)
  }
}

function usageError(message: string, usage: string): UserError {
  return new UserError(`${message}\nUsage: ${usage}`, { exit_code: 2 })
}

function usageOf(definition: {
  name: string
  arguments: readonly string[]
  options: Record<string, Option>
}): string {
  const options = Object.entries(definition.options).map(([name, option]) => {
    const text = optionText(name, option) + (option.multiple ? '...' : '')
    return option.required ? text : `[${text}]`
  })
  return ['parterre', definition.name, ...definition.arguments, ...options].join(' ')
}

function optionText(name: string, { value }: Option): string {
  return value === undefined ? `--${name}` : `--${name} ${value}`
}

/** Lines of two columns, indented by two. */
export function columns(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length))
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`)
}

/** A result, on stdout. */
export function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value, undefined, 2)}\n`)
}

/** A message for whoever runs the command, on stderr. */
export function say(message: string): void {
  process.stderr.write(`${message}\n`)
}
