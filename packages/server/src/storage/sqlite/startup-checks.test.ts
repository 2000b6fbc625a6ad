import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { explainFileError } from './startup-checks.ts'

/** The error of SQLite when the database cannot grow by another page. */
function fullError(): unknown {
  const database = new DatabaseSync(':memory:')
  database.exec('create table a (x); pragma max_page_count = 2')
  try {
    database.exec('insert into a values (hex(randomblob(100000)))')
  } catch (error) {
    return error
  } finally {
    database.close()
  }
  throw new Error('The insert succeeded')
}

test('explains a full disk, also as the cause of a failed migration', () => {
  const message = 'The disk of the database file /data/m.db is full. Free some space, or choose another file with --database.'
  expect(explainFileError(fullError(), '/data/m.db')).toMatchObject({ message, exitCode: 22 })
  expect(explainFileError(new Error('migration 001 failed', { cause: fullError() }), '/data/m.db')).toMatchObject({ message })
  expect(explainFileError(Object.assign(new Error(), { code: 'ENOSPC' }), '/data/m.db')).toMatchObject({ message })
})

test('explains a file that another program has locked', () => {
  expect(explainFileError(Object.assign(new Error(), { errcode: 261 }), '/data/m.db')).toMatchObject({
    message: 'The database file /data/m.db is locked by another program. Close that program first.',
    exitCode: 21,
  })
})

test('returns undefined for an error that the file did not cause', () => {
  expect(explainFileError(new TypeError('a mistake'), '/data/m.db')).toBeUndefined()
})
