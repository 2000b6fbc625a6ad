/** The text is not a valid template. */
export class TemplateSyntaxError extends Error {
  readonly line: number
  constructor(message: string, line: number) {
    super(message)
    this.line = line
  }
}

/** The template cannot be rendered. Rendering throws no other errors. */
export class TemplateError extends Error {}
