import { expect, test } from 'vitest'
import { eachDialect } from '../setup.ts'
import { answerChecker } from './response-checker.ts'
import { walkRest } from './walk-rest.ts'
import { walkRuns } from './walk-runs.ts'
import { walkWork } from './walk-work.ts'

eachDialect('what the server answers is what the document promises', (setup) => {
  test('for every operation of it', async () => {
    const checker = await answerChecker(await setup())
    await walkRest(checker)
    await walkRuns(checker)
    await walkWork(checker)
    expect([...new Set(checker.differences)]).toEqual([])
    expect(checker.untried()).toEqual([])
  })

  test('for refusals too', async () => {
    const checker = await answerChecker(await setup())
    const nobody = '00000000-0000-4000-8000-000000000000'
    expect((await checker.refused('GET', `/flows/${nobody}`)).code).toBe('NOT_FOUND')
    expect((await checker.refused('POST', '/flow_runs/', { flow_id: nobody })).code).toBe('UNKNOWN_REFERENCE')
    expect((await checker.refused('POST', '/flows/', { tags: [1, null] })).code).toBe('INVALID_REQUEST')
    expect((await checker.refused('POST', '/flows/filter', { limit: 1000 })).code).toBe('INVALID_REQUEST')
    await checker.call('POST', '/variables/', { name: 'wind', value: 1 })
    expect((await checker.refused('POST', '/variables/', { name: 'wind', value: 1 })).code).toBe('ALREADY_EXISTS')
    expect(checker.differences).toEqual([])
  })
})
