import {
  Automation,
  AutomationCreate,
  AutomationPartialUpdate,
  AutomationStatus,
  AutomationsCountBody,
  AutomationsFilterBody,
  AutomationUpdate,
  SuspendedAutomation,
} from '@millrace/contracts/automation.ts'
import { Count } from '@millrace/contracts/paging.ts'
import { Text } from '@millrace/contracts/primitives.ts'
import Type from 'typebox'
import { IdParams, pageLimit } from '../domains/request-params.ts'
import { notFound } from '../errors.ts'
import { type Route, RouteResponse, route } from '../lib/route.ts'
import { actAs, type ServerContext } from '../storage/server-context.ts'
import { changeAutomation, createAutomation, removeAutomation, removeOwnedAutomations, setAutomationEnabled } from './change-automation.ts'
import { readStatus } from './status.ts'
import { automationAnswer, countAutomations, listAutomations, readAutomation, readRelatedAutomations } from './store.ts'
import { listSuspended, resumeAutomation } from './suspension.ts'

const tag = 'Automations'
const read = 'automations:read'
const write = 'automations:write'
const ByResource = Type.Object({ resource_id: Text })

export function automationRoutes(context: ServerContext): Route[] {
  const { writeQueue, reads, config } = context
  const limitMax = config.server.api.default_limit

  return [
    route(
      {
        method: 'POST',
        path: '/automations/',
        tag,
        summary: 'Create an automation',
        scope: write,
        kind: 'change',
        body: AutomationCreate,
        responses: { 201: Automation },
      },
      async ({ body, actor }) => automationAnswer(await createAutomation(actAs(context, actor), body)),
    ),
    route(
      {
        method: 'PUT',
        path: '/automations/:id',
        tag,
        summary: 'Replace the trigger and the actions of an automation',
        scope: write,
        kind: 'change',
        params: IdParams,
        body: AutomationUpdate,
        responses: { 204: null },
      },
      ({ params, body, actor }) => changeAutomation(actAs(context, actor), params.id, body),
    ),
    route(
      {
        method: 'PATCH',
        path: '/automations/:id',
        tag,
        summary: 'Enable or disable an automation',
        scope: write,
        kind: 'change',
        params: IdParams,
        body: AutomationPartialUpdate,
        responses: { 204: null },
      },
      ({ params, body, actor }) => writeQueue.as(actor).submit(setAutomationEnabled(context, params.id, body.enabled)),
    ),
    route(
      {
        method: 'DELETE',
        path: '/automations/:id',
        tag,
        summary: 'Delete an automation',
        scope: write,
        kind: 'change',
        params: IdParams,
        responses: { 204: null },
      },
      ({ params, actor }) => writeQueue.as(actor).submit(removeAutomation(context, params.id)),
    ),
    route(
      {
        method: 'POST',
        path: '/automations/filter',
        tag,
        summary: 'List automations',
        scope: read,
        kind: 'query',
        body: AutomationsFilterBody,
        responses: { 200: Type.Array(Automation) },
      },
      async ({ body }) => {
        const options = { sort: body.sort, limit: pageLimit(body.limit, limitMax), offset: body.offset }
        return (await listAutomations(reads, body.automations, options)).map(automationAnswer)
      },
    ),
    route(
      {
        method: 'POST',
        path: '/automations/count',
        tag,
        summary: 'Count automations',
        scope: read,
        kind: 'query',
        body: AutomationsCountBody,
        responses: { 200: Count },
      },
      ({ body }) => countAutomations(reads, body.automations),
    ),
    route(
      {
        method: 'GET',
        path: '/automations/suspended',
        tag,
        summary: 'List automations that are suspended because they fired too often',
        scope: read,
        kind: 'query',
        responses: { 200: Type.Array(SuspendedAutomation) },
      },
      () => listSuspended(reads),
    ),
    route(
      {
        method: 'POST',
        path: '/automations/:id/resume',
        tag,
        summary: 'Resume a suspended automation',
        description: 'Does nothing if it is not suspended.',
        scope: write,
        kind: 'change',
        params: IdParams,
        responses: { 204: null },
      },
      ({ params, actor }) => writeQueue.as(actor).submit(resumeAutomation(context, params.id)),
    ),
    route(
      {
        method: 'GET',
        path: '/automations/:id',
        tag,
        summary: 'Read an automation',
        scope: read,
        kind: 'query',
        params: IdParams,
        responses: { 200: Automation },
      },
      async ({ params }) => {
        const row = await readAutomation(reads, params.id)
        if (!row) throw notFound('Automation')
        return automationAnswer(row)
      },
    ),
    route(
      {
        method: 'GET',
        path: '/automations/:id/status',
        tag,
        summary: 'Read when an automation was last evaluated and fired, and why it did not fire',
        scope: read,
        kind: 'query',
        params: IdParams,
        responses: { 200: AutomationStatus },
      },
      ({ params }) => readStatus(reads, params.id),
    ),
    route(
      {
        method: 'GET',
        path: '/automations/related-to/:resource_id',
        tag,
        summary: 'List the automations that are related to a resource',
        scope: read,
        kind: 'query',
        params: ByResource,
        responses: { 200: Type.Array(Automation) },
      },
      async ({ params }) => (await readRelatedAutomations(reads, params.resource_id)).map(automationAnswer),
    ),
    route(
      {
        method: 'DELETE',
        path: '/automations/owned-by/:resource_id',
        tag,
        summary: 'Delete the automations that a resource owns',
        scope: write,
        kind: 'change',
        params: ByResource,
        responses: { 202: Type.Null() },
      },
      async ({ params, actor }) => {
        await writeQueue.as(actor).submit(removeOwnedAutomations(context, params.resource_id))
        return new RouteResponse(202, null)
      },
    ),
  ]
}
