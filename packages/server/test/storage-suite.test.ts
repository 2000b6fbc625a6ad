import { join } from 'node:path'
import { describe } from 'vitest'
import { statement } from '../src/storage/database.ts'
import { openPostgres } from '../src/storage/postgres/connect.ts'
import { openSqlite } from '../src/storage/sqlite/connect.ts'
import { emptyPostgres, newFolder } from './databases.ts'
import { defineStorageSuite } from './storage-suite.ts'

describe('storage (sqlite)', () => {
  defineStorageSuite({
    async open() {
      return openSqlite(`sqlite:${join(newFolder('storage'), 'test.db')}`)
    },
    async columns(db, table) {
      const rows = await db.all<{ name: string; type: string; notnull: number }>(
        statement(`select name, lower(type) as type, "notnull" from pragma_table_info('${table}')`),
      )
      return Object.fromEntries(rows.map(({ name, type, notnull }) => [name, { type, nullable: notnull === 0 }]))
    },
  })
})

describe('storage (postgres)', () => {
  defineStorageSuite({
    async open() {
      const { url, drop } = await emptyPostgres()
      const pool = openPostgres(url, { poolSize: 4, statementTimeoutSeconds: 60, onError: () => {} })
      return {
        ...pool,
        async close() {
          await pool.close()
          await drop()
        },
      }
    },
    async columns(db, table) {
      const rows = await db.all<{ column_name: string; data_type: string; is_nullable: string }>(
        statement('select column_name, data_type, is_nullable from information_schema.columns where table_name = $1'),
        [table],
      )
      return Object.fromEntries(
        rows.map(({ column_name, data_type, is_nullable }) => [column_name, { type: data_type, nullable: is_nullable === 'YES' }]),
      )
    },
  })
})
