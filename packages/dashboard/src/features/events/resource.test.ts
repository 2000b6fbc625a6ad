import { expect, test } from 'vitest'
import { parseResourceId, resourcePage } from './resource.ts'

test('splits ids of this server into kind and key and keeps others whole', () => {
  expect(parseResourceId('prefect.flow-run.1-2')).toEqual({ kind: 'flow-run', key: '1-2' })
  expect(parseResourceId('prefect.tag.a.b')).toEqual({ kind: 'tag', key: 'a.b' })
  expect(parseResourceId('s3://bucket')).toEqual({ kind: '', key: 's3://bucket' })
})

test.each([
  ['prefect.flow-run.1', {}, { to: '/runs/flow-run/1' }],
  ['prefect.work-pool.1', { name: 'my pool' }, { to: '/work-pools/work-pool/my%20pool' }],
  ['prefect.work-queue.1', { name: 'default' }, { to: '/work-queues/work-queue/1' }],
  ['prefect.tag.prod', {}, { to: '/runs', search: { tag: 'prod' } }],
  ['prefect.event.1', { day: '2030-01-31' }, { to: '/events/event/2030-01-31/1' }],
  ['prefect.variable.1', {}, { to: '/variables' }],
  ['prefect.flow-run.*', {}, undefined],
  ['s3://bucket', {}, undefined],
  ['prefect.constructor.1', {}, undefined],
])('%s', (id, known, page) => {
  expect(resourcePage(id, known)).toEqual(page)
})
