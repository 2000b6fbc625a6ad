import { expect, test } from 'vitest'
import { eachDialect } from '../setup.ts'
import { exerciseOtherRoutes } from './exercise-other-routes.ts'
import { exerciseRunRoutes } from './exercise-run-routes.ts'
import { exerciseWorkRoutes } from './exercise-work-routes.ts'
import { createResponseChecker } from './response-checker.ts'

eachDialect('what the server answers is what the document promises', (setup) => {
  test('for every operation', async () => {
    const checker = await createResponseChecker(await setup())
    await exerciseOtherRoutes(checker)
    await exerciseRunRoutes(checker)
    await exerciseWorkRoutes(checker)
    expect([...new Set(checker.differences)]).toEqual([])
    expect(checker.listUntestedOperations()).toEqual([])
  })

  test('for errors', async () => {
    const checker = await createResponseChecker(await setup())
    const missingId = '00000000-0000-4000-8000-000000000000'
    expect((await checker.callExpectingError('GET', `/flows/${missingId}`)).code).toBe('NOT_FOUND')
    expect((await checker.callExpectingError('POST', '/flow_runs/', { flow_id: missingId })).code).toBe('UNKNOWN_REFERENCE')
    expect((await checker.callExpectingError('POST', '/flows/', { tags: [1, null] })).code).toBe('INVALID_REQUEST')
    expect((await checker.callExpectingError('POST', '/flows/filter', { limit: 1000 })).code).toBe('INVALID_REQUEST')
    await checker.call('POST', '/variables/', { name: 'wind', value: 1 })
    expect((await checker.callExpectingError('POST', '/variables/', { name: 'wind', value: 1 })).code).toBe('ALREADY_EXISTS')
    expect(checker.differences).toEqual([])
  })
})
