import { expect, test } from 'vitest'
import { aState, flowContext } from '../../../test/orchestration-fixtures.ts'
import { accept } from '../verdicts.ts'
import { preventResultLoss } from './prevent-result-loss.ts'

const completed = (data: string | null) => aState('COMPLETED', { data })
const reference = completed('{"type":"reference"}')

test.each([
  ['nothing', completed(null)],
  ['a result that is not kept', completed('{"type":"unpersisted"}')],
  ['text', completed('"done"')],
  ['a list', completed('[1,2]')],
])('a kept result is not replaced by %s', (_name, to) => {
  expect(preventResultLoss.decide(flowContext(reference, to))).toMatchObject({ kind: 'reject', state: null, facts: { state_id: reference.id } })
})

test.each([
  ['by another', reference, completed('{"type":"reference","key":"l"}')],
  ['even by an empty object', reference, completed('{}')],
  ['and what is not kept by anything', completed('{"type":"unpersisted"}'), completed(null)],
  ['an empty object is no result', completed('{}'), completed(null)],
  ['nor is nothing', completed(null), completed(null)],
])('%s', (_name, from, to) => {
  expect(preventResultLoss.decide(flowContext(from, to))).toBe(accept)
})
