import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe } from 'vitest'
import { statement } from '../src/storage/database.ts'
import { openPostgres } from '../src/storage/postgres/connect.ts'
import { openSqlite } from '../src/storage/sqlite/connect.ts'
import { sharedPostgres } from './postgres/shared-postgres.ts'
import { defineStorageSuite } from './storage-suite.ts'

describe('storage (sqlite)', () => {
  defineStorageSuite({
    async open() {
      const folder = mkdtempSync(join(tmpdir(), 'millrace-storage-'))
      const pool = openSqlite(`sqlite:${join(folder, 'test.db')}`)
      return {
        ...pool,
        async close() {
          await pool.close()
          rmSync(folder, { recursive: true, force: true })
        },
      }
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
      const cluster = await sharedPostgres()
      const name = `storage_${randomUUID().replaceAll('-', '')}`
      const pool = openPostgres(await cluster.createDatabase(name), { poolSize: 4, statementTimeoutSeconds: 60, onError: () => {} })
      return {
        ...pool,
        async close() {
          await pool.close()
          await cluster.dropDatabase(name)
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
