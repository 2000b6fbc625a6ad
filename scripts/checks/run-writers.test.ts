import { expect, test } from 'vitest'
import { createTemporaryTree } from '../temporary-tree.ts'
import { runWriterViolations } from './run-writers.ts'

const S = 'packages/server/src'
const path = `${S}/domains/flow-runs/store.ts`
const violations = (files: Record<string, string>, exceptions: Record<string, string> = {}) =>
  runWriterViolations(createTemporaryTree(files), exceptions)

test.each([
  "const remove = statement('delete from task_run where id = $1')",
  'const set = statement(`update\n  flow_run set name = $2`)',
  "run('UPDATE OR FAIL flow_run SET name = ?')",
  "run('insert or ignore into flow_run_state values (1)')",
  "run('insert into task_run_state (id) values (1)')",
  "run('truncate flow_run')",
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of a template
  'run(`delete from ${table} where id = 1`)',
  "tx.update('flow_run', [row])",
  "tx.insert(\n  'task_run',\n  rows,\n)",
  "tx.insert<'flow_run'>('flow_run', rows)",
  "const write = { insert: 'flow_run_state', rows }",
  "const write = { update: 'task_run', rows }",
  "kysely.updateTable('task_run')",
  "kysely.deleteFrom('flow_run')",
  "kysely.insertInto('task_run_state')",
])('finds a write of runs: %s', (code) => {
  expect(violations({ [path]: `\n${code}\n` })).toEqual([
    expect.stringMatching(/store\.ts:[23]: .*: runs are written by packages\/server\/src\/runs\/ only$/),
  ])
})

test.each([
  "// update flow_run, delete from task_run\ntx.update('flow_run_input', [row])",
  "run('delete from flow_run_tag where tag = $1')",
  "run('insert into task_run_cache values (1)')",
  "run('select id from flow_run order by id for update of flow_run skip locked')",
  "const change = { kind: 'change_flow_run', update: 'flow' }",
])('leaves other tables and reads alone: %s', (code) => {
  expect(violations({ [path]: code })).toEqual([])
})

test('lets runs/, tests and the exceptions write', () => {
  const code = "tx.update('flow_run', [row])"
  const files = {
    [`${S}/runs/save.ts`]: code,
    [`${S}/domains/a.test.ts`]: code,
    'packages/server/test/a.ts': code,
    [`${S}/doctor/checks/a.ts`]: code,
  }
  expect(violations(files, { [`${S}/doctor/checks/`]: 'repairs' })).toEqual([])
  expect(violations(files)).toEqual([expect.stringContaining(`${S}/doctor/checks/a.ts:1: `)])
})

test('reports an exception that is none', () => {
  expect(violations({ [path]: '' }, { [path]: 'needs it no more' })).toEqual([expect.stringContaining(`${path}: writes no runs`)])
})
