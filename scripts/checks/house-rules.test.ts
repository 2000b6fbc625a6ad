import { describe, expect, test } from 'vitest'
import { createTemporaryTree } from '../temporary-tree.ts'
import { houseRuleViolations } from './house-rules.ts'

const S = 'packages/server/src'
const breaches = (files: Record<string, string>) => houseRuleViolations(createTemporaryTree(files))

describe('names', () => {
  test.each([`${S}/lib/utils.ts`, `${S}/helpers/time.ts`, `${S}/lib/flow-run-manager.ts`, 'scripts/common.test.ts', `${S}/domains/index.ts`])(
    '%s',
    (path) => {
      expect(breaches({ [path]: '' })).toEqual([expect.stringMatching(/does not say what is inside$/)])
    },
  )

  test('that only contain such a word are fine', () => {
    expect(breaches({ [`${S}/storage/database.ts`]: '', [`${S}/lib/base-path.ts`]: '', [`${S}/lib/commonly.ts`]: '' })).toEqual([])
  })
})

test('a file has 400 lines at most', () => {
  const files = {
    [`${S}/lib/long.ts`]: 'x\n'.repeat(401),
    [`${S}/lib/just.ts`]: 'x\n'.repeat(400),
    'packages/server/test/long.ts': 'x\n'.repeat(500),
  }
  expect(breaches(files)).toEqual([`${S}/lib/long.ts: 401 lines, 400 at most`])
})

describe('what is passed in is not fetched', () => {
  test.each([
    ['new Date()', `${S}/lib/time.ts`],
    ['Date.now()', `${S}/lib/time.ts`],
    ['performance.now()', `${S}/lib/time.ts`],
    ['setTimeout(f, 1)', `${S}/services/loop.ts`],
    ['setInterval(f, 1)', `${S}/lib/time.ts`],
    ['process.env.HOME', `${S}/config.ts`],
    ['Math.random()', `${S}/lib/random.ts`],
    ['crypto.randomUUID()', `${S}/lib/random.ts`],
  ])('%s', (code, allowed) => {
    const except = { [`${S}/app.ts`]: "import './services/loop.ts'\n" }
    expect(breaches({ ...except, [`${S}/lib/x.ts`]: `\nconst x = ${code}\n` })).toEqual([
      expect.stringMatching(/^packages\/server\/src\/lib\/x\.ts:2: /),
    ])
    expect(breaches({ ...except, [allowed]: code, [`${S}/lib/x.test.ts`]: code, 'packages/server/test/x.ts': code, 'scripts/x.ts': code })).toEqual(
      [],
    )
  })

  test('words in comments and strings are no breach', () => {
    expect(breaches({ [`${S}/lib/x.ts`]: "// new Date() and Math.random()\nconst x = 'process.env'\n" })).toEqual([])
  })
})

test('what is left to do names an issue', () => {
  const text = "// TODO later\nconst x = 'TODO' // FIXME see #12\n/* XXX\n */\n"
  expect(breaches({ [`${S}/lib/x.ts`]: text })).toEqual([
    `${S}/lib/x.ts:1: TODO without the number of an issue`,
    `${S}/lib/x.ts:3: XXX without the number of an issue`,
  ])
})

describe('tables of contents', () => {
  test('list every entry', () => {
    const files = {
      [`${S}/orchestration/policies.ts`]: "import { a } from './rules/a.ts'\n",
      [`${S}/orchestration/rules/a.ts`]: '',
      [`${S}/orchestration/rules/a.test.ts`]: '',
      [`${S}/orchestration/rules/forgotten.ts`]: '',
      [`${S}/services/all-services.ts`]: "import { lateRuns } from './late-runs.ts'\n",
      [`${S}/services/loop.ts`]: '',
      [`${S}/services/late-runs.ts`]: '',
      [`${S}/services/asleep.ts`]: '',
    }
    expect(breaches(files)).toEqual([
      `${S}/orchestration/rules/forgotten.ts: not listed in ${S}/orchestration/policies.ts`,
      `${S}/services/asleep.ts: not listed in ${S}/services/all-services.ts`,
    ])
  })

  test('have to be there', () => {
    expect(breaches({ [`${S}/automations/actions/do-nothing.ts`]: '' })).toEqual([
      `${S}/automations/actions/do-nothing.ts: not listed in ${S}/automations/execute-action.ts`,
    ])
  })
})
