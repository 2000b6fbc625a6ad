import { ErrorBody, HTTPValidationError } from '@millrace/contracts/error.ts'
import { FreeObject } from '@millrace/contracts/primitives.ts'
import { type Route, route } from '../lib/route.ts'
import { version } from '../version.ts'
import { openApiDocument, publishSchema } from './openapi.ts'

const description = `The API of Millrace, a workflow-orchestration service. Every operation answers at \`/api/…\` and at \`/…\`.`

/** The OpenAPI document of all routes; made when it is first asked for. */
export function buildOpenApiDocument(routes: readonly Route[], basePath = ''): Record<string, unknown> {
  const document = openApiDocument(routes, { version, description, basePath })
  const { schemas } = document.components as { schemas: Record<string, unknown> }
  publishSchema(HTTPValidationError, schemas)
  publishSchema(ErrorBody, schemas)
  return document
}

export function openApiRoutes(routes: readonly Route[], basePath: string): Route[] {
  let document: Record<string, unknown> | undefined
  return [
    route(
      { method: 'GET', path: '/openapi.json', tag: 'Root', summary: 'This document', scope: 'server:read', responses: { 200: FreeObject } },
      () => {
        document ??= buildOpenApiDocument(routes, basePath)
        return document
      },
    ),
  ]
}
