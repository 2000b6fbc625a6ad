import { DeploymentCreate, DeploymentResponse } from '@millrace/contracts/deployment.ts'
import { Text } from '@millrace/contracts/primitives.ts'
import Type from 'typebox'
import { notFound } from '../../errors.ts'
import { Answer, type Route, route } from '../../lib/route.ts'
import type { Parts } from '../../storage/parts.ts'
import { ById } from '../by-id.ts'
import { deploymentAnswer } from './answer.ts'
import { createDeployment } from './create-deployment.ts'
import { placed, refuseBadSchedules } from './schedule-rows.ts'
import { schedulesByDeployment } from './schedules.ts'
import { type Deployment, readDeployment, readDeploymentByName } from './store.ts'

const tag = 'Deployments'
const read = 'deployments:read'
const write = 'deployments:write'

export function deploymentRoutes(parts: Parts): Route[] {
  const { lane, reads, clock } = parts

  const answers = async (rows: readonly Deployment[]): Promise<DeploymentResponse[]> => {
    const schedules = await schedulesByDeployment(reads, rows.map(({ id }) => id))
    return rows.map((row) => deploymentAnswer(row, schedules.get(row.id) ?? []))
  }
  const found = async (row: Deployment | undefined): Promise<DeploymentResponse> => {
    if (!row) throw notFound('Deployment')
    return (await answers([row]))[0] as DeploymentResponse
  }

  return [
    route(
      { method: 'POST', path: '/deployments/', tag, summary: 'Create a deployment, or update the one of that name', scope: write, body: DeploymentCreate, answers: { 201: DeploymentResponse, 200: DeploymentResponse } },
      async ({ body }) => {
        refuseBadSchedules(parts, placed(body.schedules, ['body', 'schedules']))
        const { made, row, schedules } = await lane.submit(createDeployment(parts, body))
        return new Answer(made ? 201 : 200, deploymentAnswer(row, schedules))
      },
    ),
    route(
      { method: 'GET', path: '/deployments/name/:flow_name/:deployment_name', tag, summary: 'Read a deployment by the names of its flow and its own', scope: read, params: Type.Object({ flow_name: Text, deployment_name: Text }), answers: { 200: DeploymentResponse } },
      async ({ params }) => found(await readDeploymentByName(reads, params.flow_name, params.deployment_name, clock.now())),
    ),
    route({ method: 'GET', path: '/deployments/:id', tag, summary: 'Read a deployment', scope: read, params: ById, answers: { 200: DeploymentResponse } }, async ({ params }) =>
      found(await readDeployment(reads, params.id, clock.now())),
    ),
  ]
}
