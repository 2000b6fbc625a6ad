import { Count } from '@millrace/contracts/paging.ts'
import { Text } from '@millrace/contracts/primitives.ts'
import { Variable, VariableCreate, VariablesCountBody, VariablesFilterBody, VariableUpdate } from '@millrace/contracts/variable.ts'
import Type from 'typebox'
import { notFound } from '../../errors.ts'
import { type Route, route } from '../../lib/route.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { IdParams, pageLimit } from '../request-params.ts'
import { readsFor } from '../text-searches.ts'
import { changeVariable, createVariable, removeVariable } from './change-variable.ts'
import { countVariables, listVariables, readVariable, toVariableResponse, type VariableKey } from './store.ts'

const tag = 'Variables'
const ByName = Type.Object({ name: Text })

export function variableRoutes(context: ServerContext): Route[] {
  const { writeQueue, reads, config } = context

  const read = async (which: VariableKey) => {
    const row = await readVariable(reads, which)
    if (!row) throw notFound('Variable')
    return toVariableResponse(row)
  }

  return [
    route(
      {
        method: 'POST',
        path: '/variables/',
        tag,
        summary: 'Create a variable',
        scope: 'variables:write',
        kind: 'change',
        body: VariableCreate,
        responses: { 201: Variable },
      },
      async ({ body, actor }) => toVariableResponse(await writeQueue.as(actor).submit(createVariable(context, body))),
    ),
    route(
      {
        method: 'GET',
        path: '/variables/:id',
        tag,
        summary: 'Read a variable',
        scope: 'variables:read',
        kind: 'query',
        params: IdParams,
        responses: { 200: Variable },
      },
      ({ params }) => read(params),
    ),
    route(
      {
        method: 'GET',
        path: '/variables/name/:name',
        tag,
        summary: 'Read a variable by name',
        scope: 'variables:read',
        kind: 'query',
        params: ByName,
        responses: { 200: Variable },
      },
      ({ params }) => read(params),
    ),
    route(
      {
        method: 'POST',
        path: '/variables/filter',
        tag,
        summary: 'List variables',
        scope: 'variables:read',
        kind: 'query',
        body: VariablesFilterBody,
        responses: { 200: Type.Array(Variable) },
      },
      async ({ body: { variables, sort, limit, offset } }) => {
        const rows = await listVariables(readsFor(context, variables, reads), variables, {
          sort,
          limit: pageLimit(limit, config.server.api.default_limit),
          offset,
        })
        return rows.map(toVariableResponse)
      },
    ),
    route(
      {
        method: 'POST',
        path: '/variables/count',
        tag,
        summary: 'Count variables',
        scope: 'variables:read',
        kind: 'query',
        body: VariablesCountBody,
        responses: { 200: Count },
      },
      ({ body }) => countVariables(readsFor(context, body, reads), body.variables),
    ),
    route(
      {
        method: 'PATCH',
        path: '/variables/:id',
        tag,
        summary: 'Update a variable',
        description: 'Changes the given fields only. A null value is stored as null.',
        scope: 'variables:write',
        kind: 'change',
        params: IdParams,
        body: VariableUpdate,
        responses: { 204: null },
      },
      ({ params, body, actor }) => writeQueue.as(actor).submit(changeVariable(context, params, body)),
    ),
    route(
      {
        method: 'PATCH',
        path: '/variables/name/:name',
        tag,
        summary: 'Update a variable by name',
        description: 'Changes the given fields only. A null value is stored as null.',
        scope: 'variables:write',
        kind: 'change',
        params: ByName,
        body: VariableUpdate,
        responses: { 204: null },
      },
      ({ params, body, actor }) => writeQueue.as(actor).submit(changeVariable(context, params, body)),
    ),
    route(
      {
        method: 'DELETE',
        path: '/variables/:id',
        tag,
        summary: 'Delete a variable',
        scope: 'variables:write',
        kind: 'change',
        params: IdParams,
        responses: { 204: null },
      },
      ({ params, actor }) => writeQueue.as(actor).submit(removeVariable(context, params)),
    ),
    route(
      {
        method: 'DELETE',
        path: '/variables/name/:name',
        tag,
        summary: 'Delete a variable by name',
        scope: 'variables:write',
        kind: 'change',
        params: ByName,
        responses: { 204: null },
      },
      ({ params, actor }) => writeQueue.as(actor).submit(removeVariable(context, params)),
    ),
  ]
}
