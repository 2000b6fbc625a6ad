import { expect, test } from 'vitest'
import { insertStatement, updateStatement } from './row-statements.ts'

const verdict = (changes: object) => ({
  id: 'a',
  run_id: 'b',
  at: 1,
  status: 'REJECT',
  rule: 'r',
  reason: 'no',
  facts: null,
  from_type: null,
  ...changes,
})

test('leaves out columns that are null in all rows of an insert', () => {
  const one = insertStatement({ insert: 'verdict', rows: [verdict({}), verdict({ from_type: 'RUNNING' })] })
  expect(one.text).toMatch(
    /^insert into verdict \(id, run_id, at, status, rule, reason, from_type\) select \* from unnest\(\$1::uuid\[\], \$2::uuid\[\], \$3::bigint\[\]/,
  )
  expect(insertStatement({ insert: 'verdict', rows: [verdict({}), verdict({ id: 'c' })] }).values.slice(0, 2)).toEqual(['{a,c}', '{b,b}'])
  expect(insertStatement({ insert: 'verdict', rows: [verdict({})] }).text).not.toContain('from_type')
})

test('uses one statement for rows that need the same columns', () => {
  const statements = [verdict({}), verdict({ id: 'c' })].map((row) => insertStatement({ insert: 'verdict', rows: [row] }))
  expect(statements[0]?.text).toBe(statements[1]?.text)
  expect(insertStatement({ insert: 'verdict', rows: [verdict({})], onConflict: 'on conflict do nothing' }).text).not.toBe(statements[0]?.text)
})

test('leaves out columns that no row of an update changes', () => {
  const stored = new Map([
    ['a', verdict({})],
    ['c', verdict({ id: 'c' })],
  ])
  const rows = [verdict({ status: 'WAIT' }), verdict({ id: 'c', at: 2 })]
  const { text, values } = updateStatement({ update: 'verdict', rows, stored })
  expect(text).toBe(
    'update verdict set at = given.at, status = given.status from unnest($1::uuid[], $2::bigint[], $3::text[]) as given(id, at, status) where verdict.id = given.id',
  )
  expect(values[0]).toBe('{a,c}')
})

test('writes a row whole if nothing changes or its stored values are unknown', () => {
  const stored = new Map([['a', verdict({})]])
  const whole = updateStatement({ update: 'verdict', rows: [verdict({})], stored })
  expect(whole.text).toContain('set run_id = given.run_id, at = given.at, status = given.status, rule =')
  expect(updateStatement({ update: 'verdict', rows: [verdict({ status: 'WAIT' }), verdict({ id: 'x' })], stored }).text).toBe(whole.text)
  expect(updateStatement({ update: 'verdict', rows: [verdict({})] }).text).toBe(whole.text)
})

test('has a limited number of statements for a shape of rows', () => {
  const columns = ['run_id', 'at', 'status', 'rule', 'reason', 'facts', 'from_type']
  const texts = new Set<string>()
  for (let bits = 1; bits < 2 ** columns.length; bits += 1) {
    const changes = Object.fromEntries(columns.filter((_, index) => (bits >> index) % 2 === 1).map((name) => [name, 'x']))
    texts.add(updateStatement({ update: 'verdict', rows: [verdict(changes)], stored: new Map([['a', verdict({})]]) }).text)
  }
  expect(texts.size).toBeLessThanOrEqual(21)
})
