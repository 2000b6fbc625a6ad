import type { DeploymentResponse } from '@millrace/contracts/deployment.ts'
import { expect, test } from 'vitest'
import { toDeploymentCopy, toDeploymentDraft, toDeploymentUpdate, validateDeploymentDraft } from './deployment-draft.ts'

const deployment = {
  name: 'nightly',
  flow_id: 'f',
  description: null,
  tags: ['prod'],
  paused: false,
  work_pool_name: 'kubernetes',
  work_queue_name: 'default',
  global_concurrency_limit: { limit: 2 },
  concurrency_options: { collision_strategy: 'CANCEL_NEW', grace_period_seconds: 90 },
  enforce_parameter_schema: true,
  parameters: { a: 1 },
  job_variables: { cpu: 2 },
  schedules: [{ id: 's', schedule: { cron: '0 9 * * *', day_or: true }, active: true, max_scheduled_runs: null, parameters: {}, slug: 'x' }],
  entrypoint: 'flow.py:f',
  labels: { team: 'data' },
} as unknown as DeploymentResponse

test('round-trips a deployment without changes', () => {
  expect(toDeploymentUpdate(toDeploymentDraft(deployment))).toEqual({
    description: '',
    tags: ['prod'],
    work_pool_name: 'kubernetes',
    work_queue_name: 'default',
    concurrency_limit: 2,
    concurrency_options: { collision_strategy: 'CANCEL_NEW', grace_period_seconds: 90 },
    enforce_parameter_schema: true,
    parameters: { a: 1 },
    job_variables: { cpu: 2 },
  })
})

test('sends no concurrency options without a limit', () => {
  const draft = { ...toDeploymentDraft(deployment), limit: '', pool: '' }
  expect(toDeploymentUpdate(draft)).toMatchObject({ concurrency_limit: null, concurrency_options: null, work_pool_name: null, work_queue_name: null })
})

test('reports errors by field', () => {
  const draft = toDeploymentDraft(deployment)
  expect(validateDeploymentDraft(draft)).toEqual({})
  expect(validateDeploymentDraft({ ...draft, limit: '0', grace: '5' })).toEqual({
    limit: 'Enter a whole number, 1 or greater, or leave empty',
    grace: 'Enter 60 to 86400 seconds, or leave empty',
  })
})

test('copies a deployment with disabled schedules', () => {
  const copy = toDeploymentCopy(deployment, 'nightly-2', toDeploymentDraft(deployment))
  expect(copy).toMatchObject({ name: 'nightly-2', flow_id: 'f', entrypoint: 'flow.py:f', labels: { team: 'data' }, parameters: { a: 1 } })
  expect(copy.schedules).toEqual([
    { schedule: { cron: '0 9 * * *', day_or: true }, active: false, max_scheduled_runs: null, parameters: {}, slug: 'x' },
  ])
})
