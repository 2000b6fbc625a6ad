import { badRequest } from '../../errors.ts'
import { TemplateError, TemplateSyntaxError } from '../../lib/template/errors.ts'
import { checkTemplate, renderTemplate } from '../../lib/template/template.ts'
import { type Db, statement } from '../../storage/database.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { type HydrationContext, hasPlaceholders } from './hydrate.ts'

const allVariables = statement('select name, value from variable')

/** What the placeholders of these parameters may draw on; the variables are read only when one of them asks for a variable. */
export async function hydrationContext({ clock }: ServerContext, db: Db, texts: readonly string[]): Promise<HydrationContext> {
  const asked = texts.some((text) => hasPlaceholders(text) && text.includes('workspace_variable'))
  const rows = asked ? await db.all<{ name: string; value: string }>(allVariables) : []
  return { variables: new Map(rows.map(({ name, value }) => [name, value])), render: (template) => render(template, clock.now) }
}

/** A template in a parameter sees nothing but what templates bring with them. */
function render(template: string, now: () => number): string {
  try {
    checkTemplate(template)
    return renderTemplate(template, new Map(), { now })
  } catch (error) {
    if (error instanceof TemplateError || error instanceof TemplateSyntaxError) throw badRequest(`Invalid template: ${error.message}`)
    throw error
  }
}
