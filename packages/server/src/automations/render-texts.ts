import { TemplateError, TemplateSyntaxError } from '../lib/template/errors.ts'
import { renderTemplate } from '../lib/template/template.ts'
import { type ActionContext, ActionFailed, type ActionResult } from './action-context.ts'
import { dashboardUrl, linkFilters } from './template-links.ts'
import { templateScope } from './template-scope.ts'

/** Renders the texts of an action; one that cannot be rendered fails it, with the template told. */
export async function renderTexts({ context, facts }: ActionContext, texts: readonly string[], done: ActionResult): Promise<string[]> {
  const scope = await templateScope(context, facts, texts)
  const options = { now: context.clock.now, filters: linkFilters(dashboardUrl(context.config)) }
  return texts.map((text) => {
    try {
      return renderTemplate(text, scope, options)
    } catch (error) {
      if (!(error instanceof TemplateError || error instanceof TemplateSyntaxError)) throw error
      throw new ActionFailed(`The template could not be rendered: ${error.message}`, {
        related: done.related,
        details: { ...done.details, template_error: error.message, template_source: text },
      })
    }
  })
}
