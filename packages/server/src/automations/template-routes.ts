import { TemplateBody } from '@millrace/contracts/automation.ts'
import { type Route, RouteResponse, route } from '../lib/route.ts'
import { TemplateSyntaxError } from '../lib/template/errors.ts'
import { checkTemplate } from '../lib/template/template.ts'

/** The same operation at two paths. The dashboard of the reference uses the second. */
const paths = ['/templates/validate', '/automations/templates/validate']

export const templateRoutes = (): Route[] =>
  paths.map((path) =>
    route(
      {
        method: 'POST',
        path,
        tag: 'Automations',
        summary: 'Check the syntax of a template',
        scope: 'automations:read',
        kind: 'query',
        body: TemplateBody,
        bodyOptional: true,
        responses: { 204: null },
      },
      ({ body }) => {
        try {
          checkTemplate(body ?? '')
        } catch (error) {
          if (!(error instanceof TemplateSyntaxError)) throw error
          const { message, line } = error
          const detail = [{ loc: ['body'], type: 'template_syntax', msg: message, input: body, ctx: { line } }]
          // Editors of the v3 API read the line from `error`.
          return new RouteResponse(422, { detail, code: 'INVALID_REQUEST', exception_message: message, error: { line, message, source: body ?? '' } })
        }
      },
    ),
  )
