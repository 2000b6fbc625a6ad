import { expect, test } from 'vitest'
import { migrationsOf } from './migrate.ts'
import { splitSteps, statementsOf } from './migration-steps.ts'

test('a file without step lines is one transaction', () => {
  expect(splitSteps('-- 001_a · breaking: no\ncreate table a (b int);\n')).toMatchObject([{ kind: 'transaction', isOptional: false }])
  expect(splitSteps('-- 001_a · breaking: no\n')).toEqual([])
})

test('step lines separate transactions from online and optional statements', () => {
  const text =
    'create table a (b int);\n-- step: online, optional\ncreate extension x;\n-- step: online\ndrop index y;\n-- step: transaction\nselect 1;\n'
  expect(splitSteps(text).map(({ kind, isOptional, text: part }) => [kind, isOptional, statementsOf(part)])).toEqual([
    ['transaction', false, ['create table a (b int)']],
    ['online', true, ['create extension x']],
    ['online', false, ['drop index y']],
    ['transaction', false, ['select 1']],
  ])
})

test('statements end at semicolons outside of strings, dollar quotes, comments and triggers', () => {
  expect(statementsOf(`select ';' || 'it''s'; -- a; b\nselect $$ x; y $$; select $tag$ $$;$$ $tag$`)).toEqual([
    `select ';' || 'it''s'`,
    'select $$ x; y $$',
    'select $tag$ $$;$$ $tag$',
  ])
  expect(statementsOf('create trigger t after insert on a begin\n  insert into b values (1);\nend;\nselect a - 1;')).toEqual([
    'create trigger t after insert on a begin\n  insert into b values (1);\nend',
    'select a - 1',
  ])
})

test.each(['sqlite', 'postgres'] as const)('every migration of %s consists of complete statements', (dialect) => {
  for (const { name, up } of migrationsOf(dialect)) {
    for (const { text } of splitSteps(up)) {
      for (const statement of statementsOf(text))
        expect(`${name}: ${statement}`).toMatch(/: (create|alter|lock|drop|insert|update|delete|do|with|select|vacuum)\b/i)
    }
  }
})
