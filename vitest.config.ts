import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'tests/**/*.test.ts'],
    globalSetup: ['tests/support/global-setup.ts'],
    pool: 'threads',
    testTimeout: 20_000,
    hookTimeout: 30_000,
  },
})
