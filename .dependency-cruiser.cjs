/**
 * Which module may import which (ARCHITECTURE.md, The layers). Imports point one way; what a module keeps to itself (`rules/`,
 * `*-rows.ts`) is imported by that module alone.
 */

/** Each layer may import itself and what stands before it; modules of one line do not import one another. */
const LAYERS = [
  ['kernel'],
  ['platform'],
  ['partners'],
  ['events'],
  ['deals', 'inventory', 'promo'],
  ['pricing'],
  ['orders'],
  ['refunds'],
  ['http', 'grpc'],
  ['main'],
]

const layer_rules = LAYERS.flatMap((modules, index) =>
  modules.map((module) => {
    const allowed = [...LAYERS.slice(0, index).flat(), module]
    return {
      name: `${module}-imports-only-what-is-below`,
      severity: 'error',
      from: { path: `^src/${module}/` },
      to: { path: '^src/', pathNot: `^src/(${allowed.join('|')})/` },
    }
  }),
)

module.exports = {
  forbidden: [
    ...layer_rules,
    {
      name: 'rules-are-pure',
      comment: 'Rules know the kernel, their own types and hashing; no I/O, no clock.',
      severity: 'error',
      from: { path: '^src/.+/rules/' },
      to: { pathNot: ['^src/kernel/', '^src/[^/]+/rules/', '^(node:)?crypto$'] },
    },
    {
      name: 'rules-are-private',
      severity: 'error',
      from: { path: '^src/([^/]+)/' },
      to: { path: '^src/.+/rules/', pathNot: '^src/$1/' },
    },
    {
      name: 'rows-are-private',
      severity: 'error',
      from: { path: '^src/([^/]+)/' },
      to: { path: '^src/[^/]+/.*-rows\\.ts$', pathNot: '^src/$1/' },
    },
    {
      name: 'no-cycles',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'no-orphans',
      severity: 'error',
      from: { orphan: true, path: '^src/' },
      to: {},
    },
    {
      name: 'no-development-dependency-in-the-service',
      severity: 'error',
      from: { path: '^src/' },
      to: { dependencyTypes: ['npm-dev'] },
    },
    { name: 'resolvable', severity: 'error', from: {}, to: { couldNotResolve: true, pathNot: '^node:' } },
  ],
  options: {
    parser: 'swc',
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '\\.test\\.ts$' },
    enhancedResolveOptions: {
      extensions: ['.ts', '.js', '.json'],
      exportsFields: ['exports'],
      conditionNames: ['node', 'import', 'default', 'types'],
    },
  },
}
