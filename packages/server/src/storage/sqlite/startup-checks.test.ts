import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { explainFileError } from './startup-checks.ts'

/** What SQLite says when there is no room for another page. */
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
  throw new Error('it had room')
}

test('says that the disk is full, also when a migration found it so', () => {
  const message = 'The disk of the database file /data/m.db is full. Free some space, or choose another file with --database.'
  expect(explainFileError(fullError(), '/data/m.db')).toMatchObject({ message, exitCode: 22 })
  expect(explainFileError(new Error('migration 001 failed', { cause: fullError() }), '/data/m.db')).toMatchObject({ message })
  expect(explainFileError(Object.assign(new Error(), { code: 'ENOSPC' }), '/data/m.db')).toMatchObject({ message })
})

test('says that another program has locked the file', () => {
  expect(explainFileError(Object.assign(new Error(), { errcode: 261 }), '/data/m.db')).toMatchObject({
    message: 'The database file /data/m.db is locked by another program. Close that program first.',
    exitCode: 21,
  })
})

test('leaves errors alone that are none of the file', () => {
  expect(explainFileError(new TypeError('a mistake'), '/data/m.db')).toBeUndefined()
})
