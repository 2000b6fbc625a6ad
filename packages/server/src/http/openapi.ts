import { ErrorBody, HTTPValidationError } from '@millrace/contracts/error.ts'
import { FreeObject } from '@millrace/contracts/primitives.ts'
import type { TSchema } from 'typebox'
import { rawJson, writeJson } from '../lib/json.ts'
import { type Route, route } from '../lib/route.ts'
import { version } from '../version.ts'

type Json = Record<string, unknown>

const description = `The API of Millrace, a workflow-orchestration service. Every operation is available at \`/api/…\` and at \`/…\`.`

/** Builds the OpenAPI document of all routes. */
export function buildOpenApiDocument(routes: readonly Route[], basePath = ''): Record<string, unknown> {
  const document = openApiDocument(routes, { version, description, basePath })
  const { schemas } = document.components as { schemas: Record<string, unknown> }
  publishSchema(HTTPValidationError, schemas)
  publishSchema(ErrorBody, schemas)
  return document
}

export function openApiRoutes(routes: readonly Route[], basePath: string): Route[] {
  // As text: it takes 10 ms to write.
  let document: ReturnType<typeof rawJson> | undefined
  return [
    route(
      {
        method: 'GET',
        path: '/openapi.json',
        tag: 'Root',
        summary: 'Read the OpenAPI document',
        scope: 'server:read',
        kind: 'query',
        responses: { 200: FreeObject },
      },
      () => {
        document ??= rawJson(writeJson(buildOpenApiDocument(routes, basePath)))
        return document
      },
    ),
  ]
}

/** The OpenAPI 3.1 document of the routes. Named schemas become components. */
export function openApiDocument(routes: readonly Route[], about: { version: string; description: string; basePath: string }): Json {
  const components: Record<string, unknown> = {}
  const paths: Record<string, Json> = {}
  for (const route of routes) {
    const path = route.path.replaceAll(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route, components) }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Millrace', version: 'v3', description: about.description, 'x-millrace-version': about.version },
    servers: [{ url: `${about.basePath}/api` }],
    paths,
    components: { schemas: components, responses: errorResponses, securitySchemes: { basic: { type: 'http', scheme: 'basic' } } },
  }
}

function operation(route: Route, components: Record<string, unknown>): Json {
  const body = route.body && {
    required: isBodyRequired(route),
    content: { 'application/json': { schema: publishSchema(route.body, components) } },
  }
  const responses = Object.entries(route.responses).map(([status, schema]) => [
    status,
    { description: 'Success', ...(schema ? { content: { [mediaType(schema)]: { schema: publishSchema(schema, components) } } } : {}) },
  ])
  return {
    tags: [route.tag],
    summary: route.summary,
    ...(route.description === undefined ? {} : { description: route.description }),
    operationId: operationId(route),
    'x-scope': route.scope,
    'x-kind': route.kind,
    // Credentials are optional, since they depend on the settings; public routes never need them.
    security: route.scope === 'public' ? [] : [{}, { basic: [] }],
    parameters: [
      ...parameters(route.params, 'path', components),
      ...parameters(route.query, 'query', components),
      ...parameters(route.headers, 'header', components),
      versionHeader,
    ],
    ...(body ? { requestBody: body } : {}),
    responses: {
      ...Object.fromEntries(responses),
      422: {
        description: 'The request is not valid',
        content: { 'application/json': { schema: { $ref: '#/components/schemas/HTTPValidationError' } } },
      },
      ...Object.fromEntries(errorStatuses(route).map((status) => [status, { $ref: `#/components/responses/Error${status}` }])),
    },
  }
}

const errorDescriptions: Readonly<Record<number, string>> = {
  400: 'The request cannot be processed',
  401: 'Missing or wrong credentials',
  403: 'Not allowed',
  404: 'Not found',
  408: 'The body did not arrive in time',
  409: 'Conflict with an existing object',
  410: 'The lease has expired or was released',
  413: 'Too large',
  415: 'Unsupported body',
  421: 'The host is not allowed',
  423: 'No free slot',
  429: 'Too many wrong passwords from this address',
  501: 'Unsupported transfer coding of the body',
  503: 'Not available now. Try again after the seconds of the header Retry-After',
}

const errorResponses = Object.fromEntries(
  Object.entries(errorDescriptions).map(([status, description]) => [
    `Error${status}`,
    { description, content: { 'application/json': { schema: { $ref: '#/components/schemas/ErrorBody' } } } },
  ]),
)

/** 500 is a fault of the server and is not listed. */
function errorStatuses({ method, params, body, errors = [] }: Route): number[] {
  const named = params || body ? [404] : []
  const written = method === 'GET' ? [] : [409]
  return [400, 401, 403, ...named, ...written, ...(body ? [408, 413, 415, 501] : []), 421, 429, 503, ...errors].sort((a, b) => a - b)
}

/** Accepted and ignored by every operation. */
const versionHeader = { name: 'x-service-api-version', in: 'header', required: false, schema: { type: 'string' } }

/** A body of parameters is required if one of the parameters is; a body that is one object is required unless the route says otherwise. */
function isBodyRequired(route: Route): boolean {
  const { required = [], 'x-parameters': isParameters = false } = route.body as { required?: string[]; 'x-parameters'?: boolean }
  return isParameters ? required.length > 0 : route.bodyOptional !== true
}

const mediaType = (schema: TSchema): string => (schema as { contentMediaType?: string }).contentMediaType ?? 'application/json'

const operationId = ({ method, path }: Route): string => `${method.toLowerCase()}_${path.replaceAll(/[^\w]+/g, '_').replaceAll(/^_|_$/g, '')}`

function parameters(schema: TSchema | undefined, place: string, components: Record<string, unknown>): Json[] {
  const { properties = {}, required = [] } = (schema ?? {}) as { properties?: Record<string, TSchema>; required?: string[] }
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    schema: publishSchema(property, components),
  }))
}

/** Returns a schema for the document: named schemas as references, without our annotations. */
export function publishSchema(schema: TSchema, components: Record<string, unknown>): Json {
  const { $id: name, default: fallback, ...rest } = schema as { $id?: string; default?: unknown } & Json
  if (name === undefined) return withDefault(withoutAnnotations(rest, components), schema)
  if (!(name in components)) {
    components[name] = {}
    components[name] = { title: name, ...withoutAnnotations(rest, components) }
  }
  return withDefault({ $ref: `#/components/schemas/${name}` }, schema)
}

/** `x-default` replaces a default whose published form differs from the one that is read. */
function withDefault(made: Json, schema: object): Json {
  if ('x-default' in schema) return { ...made, default: schema['x-default'] }
  return 'default' in schema ? { ...made, default: schema.default } : made
}

function withoutAnnotations(schema: Json, components: Record<string, unknown>): Json {
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([key]) => !key.startsWith('x-') && !key.startsWith('~'))
      .map(([key, value]) => {
        if (key === 'properties' || key === 'patternProperties') {
          return [
            key,
            Object.fromEntries(Object.entries(value as object).map(([name, inner]) => [name, publishSchema(inner as TSchema, components)])),
          ]
        }
        if (key === 'anyOf' || key === 'oneOf' || key === 'allOf' || key === 'prefixItems')
          return [key, (value as TSchema[]).map((inner) => publishSchema(inner, components))]
        if ((key === 'items' || key === 'additionalProperties') && typeof value === 'object')
          return [key, publishSchema(value as TSchema, components)]
        return [key, value]
      }),
  )
}
