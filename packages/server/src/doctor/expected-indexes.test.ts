import { expect, test } from 'vitest'
import { eachDialect } from '../../test/setup.ts'
import { statement } from '../storage/database.ts'
import { migrationsOf } from '../storage/migrate.ts'
import { expectedIndexes } from './expected-indexes.ts'

const existing = {
  sqlite: "select name from sqlite_master where type = 'index' and sql is not null",
  postgres: `select index.relname as name from pg_index join pg_class index on index.oid = indexrelid join pg_class of on of.oid = indrelid
    where index.relnamespace = current_schema()::regnamespace and not indisprimary and not of.relispartition`,
}

eachDialect('expectedIndexes', (setup, dialect) => {
  test('are those of a migrated database', async () => {
    const app = await setup()
    const names = (await app.context.reads.all<{ name: string }>(statement(existing[dialect]))).map(({ name }) => name)
    const applied = new Set(migrationsOf(dialect).map(({ number }) => number))
    expect(
      expectedIndexes(dialect, applied)
        .map(({ name }) => name)
        .sort(),
    ).toEqual(names.sort())
  })
})
