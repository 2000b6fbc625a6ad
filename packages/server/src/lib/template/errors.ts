/** The text is no template; with the line where that shows. */
export class TemplateSyntaxError extends Error {
  readonly line: number
  constructor(message: string, line: number) {
    super(message)
    this.line = line
  }
}

/** A template that could not be rendered. Nothing else is ever thrown while rendering: whatever a template does ends here. */
export class TemplateError extends Error {}
