import type { DeploymentResponse } from '@millrace/contracts/deployment.ts'
import { expect, test } from 'vitest'
import { initialCustomRun, toRunBody } from './custom-run.ts'

const deployment = {
  parameters: { region: 'eu' },
  tags: ['prod'],
  parameter_openapi_schema: { type: 'object', properties: { region: { type: 'string', default: 'us' }, size: { type: 'integer', default: 3 } } },
} as unknown as DeploymentResponse

test('starts with the values of the deployment', () => {
  expect(initialCustomRun(deployment)).toMatchObject({ parameters: { region: 'eu', size: 3 }, tags: [], at: undefined })
  expect(initialCustomRun({ ...deployment, parameter_openapi_schema: null }).parameters).toEqual({ region: 'eu' })
})

test('sends only changed values', () => {
  const start = initialCustomRun(deployment)
  expect(toRunBody(start)).toEqual({ parameters: { region: 'eu', size: 3 }, tags: [] })
  const at = '2030-01-01T09:00:00+01:00'
  expect(toRunBody({ ...start, tags: ['x'], name: ' a ', at, queue: 'fast', jobVariables: { cpu: 1 }, message: 'please' })).toEqual({
    parameters: { region: 'eu', size: 3 },
    tags: ['x'],
    name: 'a',
    work_queue_name: 'fast',
    job_variables: { cpu: 1 },
    state: { type: 'SCHEDULED', message: 'please', state_details: { scheduled_time: at } },
  })
})
