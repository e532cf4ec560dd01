/** What the contract states of the REST interface, in its order, each with the tests that prove it. */
import type { Section } from './statement.ts'
import { ENDPOINTS } from './statements/endpoints.ts'
import { ERRORS } from './statements/errors.ts'
import { LEGACY } from './statements/legacy.ts'
import { RESOURCES } from './statements/resources.ts'
import { RULES } from './statements/rules.ts'
import { SERVICE } from './statements/service.ts'
import { STATES } from './statements/states.ts'

export const SECTIONS: readonly Section[] = [
  ...SERVICE,
  ...RESOURCES,
  ...LEGACY,
  ...STATES,
  ...ENDPOINTS,
  ...RULES,
  ...ERRORS,
]
