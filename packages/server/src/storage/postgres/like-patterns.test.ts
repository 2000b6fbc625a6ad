import fc from 'fast-check'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { eachDialect } from '../../../test/setup.ts'
import { likePattern } from '../dialect.ts'

const pieces = ['otter', 'OTTER', 'heron', 'lynx', '900', '90', 'x', '-', ' ', '%', '_', '\\', '.', 'ä']
const textOf = (values: readonly string[]) => fc.array(fc.constantFrom(...values), { minLength: 1, maxLength: 5 }).map((chosen) => chosen.join(''))
const text = textOf(pieces)
/** The lower case of this letter has two characters in some collations. */
const longerInLowerCase = 'İ'

eachDialect(
  'patterns',
  (setup) => {
    test('with several words match the same names as without an index', { timeout: 60_000 }, async () => {
      const { reads } = (await setup()).context
      const check = async (names: string[], part: string, collation = 'default') => {
        const pattern = likePattern(part)
        const given = sql`(select unnest(${names as never}::text[]) as name) given`
        const select = (condition: unknown) => sql<{ name: string }>`select name from ${given} where ${condition} order by name`.execute(reads.kysely)
        const { rows } = await select(reads.dialect.isLike(sql`given.name`, pattern))
        expect(rows).toEqual((await select(sql`given.name collate ${sql.ref(collation)} ilike ${pattern}`)).rows)
      }
      // The words in another order, and not next to each other.
      await check(['otter-heron', 'heron-otter', 'otter--heron', 'otter-x-heron'], 'otter-heron')
      await check(['otter-heron', 'heron-otter', 'otter--heron', 'otter-x-heron'], 'otter%heron')
      const checkMany = (name: fc.Arbitrary<string>, part: fc.Arbitrary<string>, collation: string) =>
        fc.assert(
          fc.asyncProperty(fc.array(name, { minLength: 1, maxLength: 20 }), part, (names, chosen) => check(names, chosen, collation)),
          { numRuns: 300 },
        )
      await checkMany(text, text, 'default')
      await checkMany(textOf([...pieces, longerInLowerCase]), textOf(pieces.filter((each) => each !== 'ä')), 'C')
    })
  },
  ['postgres'],
)
