import { expect, test } from 'vitest'
import { eachDialect } from '../../../test/setup.ts'

eachDialect('the preview of a schedule', (setup) => {
  test('lists the next times in the local time of its zone', async () => {
    const app = await setup()
    const preview = (schedule: object, more: object = {}) => app.call('POST', '/ui/schedules/preview', { schedule, count: 2, ...more })
    expect((await preview({ cron: '0 9 * * *', timezone: 'Europe/Berlin' })).body).toEqual({
      next: ['2030-01-01T08:00:00Z', '2030-01-02T08:00:00Z'],
    })
    expect((await preview({ interval: 3600, anchor_date: '2029-12-31T23:30:00Z' }, { after: '2030-03-01T00:00:00Z' })).body).toEqual({
      next: ['2030-03-01T00:30:00Z', '2030-03-01T01:30:00Z'],
    })
    expect((await preview({ rrule: 'DTSTART:20300105T000000Z\nFREQ=DAILY;COUNT=1' })).body).toEqual({ next: ['2030-01-05T00:00:00Z'] })
    expect(await app.eventNames()).toEqual([])
  })

  test('explains why a schedule is invalid', async () => {
    const app = await setup()
    const refused = await app.call('POST', '/ui/schedules/preview', { schedule: { cron: 'often' } })
    expect(refused.status).toBe(422)
    expect(refused.body.detail[0]).toMatchObject({ loc: ['body', 'schedule'], msg: expect.stringMatching(/^[A-Z"'].+/) })
    expect((await app.call('POST', '/ui/schedules/preview', { schedule: { interval: 60, timezone: 'Mars/Olympus' } })).status).toBe(422)
    expect((await app.call('POST', '/ui/schedules/preview', { schedule: { interval: 60 }, count: 101 })).status).toBe(422)
  })
})
