import { expect, test } from 'vitest'
import { aState, flowContext } from '../../../test/orchestration-fixtures.ts'
import { accept } from '../verdicts.ts'
import { preventResultLoss } from './prevent-result-loss.ts'

const completed = (data: string | null) => aState('COMPLETED', { data })
const reference = completed('{"type":"reference"}')

test.each([
  ['null', completed(null)],
  ['an unpersisted result', completed('{"type":"unpersisted"}')],
  ['a string', completed('"done"')],
  ['a list', completed('[1,2]')],
])('rejects replacing a persisted result by %s', (_name, to) => {
  expect(preventResultLoss.decide(flowContext(reference, to))).toMatchObject({ kind: 'reject', state: null, facts: { state_id: reference.id } })
})

test.each([
  ['accepts another result', reference, completed('{"type":"reference","key":"l"}')],
  ['accepts an empty object in place of a result', reference, completed('{}')],
  ['accepts no data after an unpersisted result', completed('{"type":"unpersisted"}'), completed(null)],
  ['accepts no data after an empty object', completed('{}'), completed(null)],
  ['accepts no data after no data', completed(null), completed(null)],
])('%s', (_name, from, to) => {
  expect(preventResultLoss.decide(flowContext(from, to))).toBe(accept)
})
