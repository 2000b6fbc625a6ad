import { expect, test } from 'vitest'
import { withDefaultTaskPolicy } from './draft.ts'

test.each([
  [{}, null],
  [{ retry_delay: [] }, []],
  [{ retry_delay: [], retry_delay_seconds: 1.5 }, 1.5],
  [{ retry_delay: 0, retry_delay_seconds: 3 }, 3],
  [{ retry_delay: [0, 20], retry_delay_seconds: 3 }, [0, 20]],
])('of the two names of a delay the old one counts where the new one says nothing: %j', (policy, delay) => {
  expect(withDefaultTaskPolicy(policy).retry_delay).toEqual(delay)
})
