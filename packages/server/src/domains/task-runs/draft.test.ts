import { expect, test } from 'vitest'
import { withDefaultTaskPolicy } from '../../runs/task-run-policy.ts'

test.each([
  [{}, null],
  [{ retry_delay: [] }, []],
  [{ retry_delay: [], retry_delay_seconds: 1.5 }, 1.5],
  [{ retry_delay: 0, retry_delay_seconds: 3 }, 3],
  [{ retry_delay: [0, 20], retry_delay_seconds: 3 }, [0, 20]],
])('uses the deprecated delay field if the new one is not set: %j', (policy, delay) => {
  expect(withDefaultTaskPolicy(policy).retry_delay).toEqual(delay)
})
