import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { repositoryRoot } from '../repository.ts'

interface TestResults {
  success: boolean
  numPassedTests: number
  numFailedTests: number
  testResults: { status: string; assertionResults: unknown[] }[]
}

/**
 * Counts tests and checks together. A run that left no results counts as one failure, and so does a test file that failed to load, because its
 * tests are unknown.
 */
export function summarise(tests: TestResults | undefined, checks: { passed: boolean }[] | undefined): { passed: number; failed: number } {
  const unloaded = tests?.testResults.filter((file) => file.status === 'failed' && file.assertionResults.length === 0).length ?? 0
  const failedTests = tests ? tests.numFailedTests + unloaded : 1
  const failedChecks = checks ? checks.filter(({ passed }) => !passed).length : 1
  return {
    passed: (tests?.numPassedTests ?? 0) + (checks?.filter(({ passed }) => passed).length ?? 0),
    // Vitest also fails on uncaught errors outside of tests.
    failed: (tests && !tests.success ? Math.max(1, failedTests) : failedTests) + failedChecks,
  }
}

if (import.meta.main) {
  const read = (name: string) => {
    const path = join(repositoryRoot, '.cache', name)
    return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined
  }
  const { passed, failed } = summarise(read('test-results.json'), read('check-results.json'))
  console.log(`${passed} passed, ${failed} failed`)
  process.exitCode = failed > 0 ? 1 : 0
}
