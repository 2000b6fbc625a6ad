import { expect, test } from 'vitest'
import { summarise } from './ci-summary.ts'

const tests = { success: true, numPassedTests: 10, numFailedTests: 0, testResults: [{ status: 'passed', assertionResults: [{}] }] }
const checks = [{ passed: true }, { passed: true }]

test.each([
  ['all is well', tests, checks, { passed: 12, failed: 0 }],
  ['a test failed', { ...tests, success: false, numPassedTests: 9, numFailedTests: 1 }, checks, { passed: 11, failed: 1 }],
  ['a check failed', tests, [{ passed: true }, { passed: false }], { passed: 11, failed: 1 }],
  [
    'a test file did not load',
    { ...tests, success: false, testResults: [{ status: 'failed', assertionResults: [] }] },
    checks,
    { passed: 12, failed: 1 },
  ],
  ['an error was caught by no test', { ...tests, success: false }, checks, { passed: 12, failed: 1 }],
  ['the tests did not run', undefined, checks, { passed: 2, failed: 1 }],
  ['nothing ran', undefined, undefined, { passed: 0, failed: 2 }],
])('%s', (_name, testResults, checkResults, count) => {
  expect(summarise(testResults, checkResults)).toEqual(count)
})
