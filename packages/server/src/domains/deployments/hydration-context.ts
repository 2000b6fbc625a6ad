import { badRequest } from '../../errors.ts'
import { TemplateError, TemplateSyntaxError } from '../../lib/template/errors.ts'
import { checkTemplate, renderTemplate } from '../../lib/template/template.ts'
import type { Db } from '../../storage/database.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { readAllVariables } from '../variables/store.ts'
import { type HydrationContext, hasPlaceholders } from './hydrate.ts'

/** Loads the context for the placeholders of these parameters. Variables are read only if a placeholder uses one. */
export async function hydrationContext({ clock }: ServerContext, db: Db, texts: readonly string[]): Promise<HydrationContext> {
  const usesVariables = texts.some((text) => hasPlaceholders(text) && text.includes('workspace_variable'))
  return { variables: usesVariables ? await readAllVariables(db) : new Map(), render: (template) => render(template, clock.now) }
}

/** Templates in parameters see the built-in functions only, no values. */
function render(template: string, now: () => number): string {
  try {
    checkTemplate(template)
    return renderTemplate(template, new Map(), { now })
  } catch (error) {
    if (error instanceof TemplateError || error instanceof TemplateSyntaxError) throw badRequest(`Invalid template: ${error.message}`)
    throw error
  }
}
