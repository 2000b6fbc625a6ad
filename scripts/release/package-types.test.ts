import { expect, test } from 'vitest'
import { rewriteImports } from './package-types.ts'

test('points imports of the contracts to the generated file', () => {
  const text = `import type { A } from '@millrace/contracts/a.ts'\nexport declare const b: import("@millrace/contracts/b.ts").B\n`
  expect(rewriteImports('client.d.ts', text)).toBe(`import type { A } from './contracts.js'\nexport declare const b: import("./contracts.js").B\n`)
  expect(rewriteImports('nouns/a.d.ts', text)).toContain("from '../contracts.js'")
})

test('points imports of the client to the file beside the declarations', () => {
  expect(rewriteImports('nouns/a.d.ts', "export { Http } from '../http.ts'\n")).toBe("export { Http } from '../http.js'\n")
})

test('exports everything of the contracts once', () => {
  const text = `export { A } from './a.ts'\nexport type * from '@millrace/contracts/a.ts'\nexport type * from '@millrace/contracts/b.ts'\nexport { B } from './b.ts'\n`
  expect(rewriteImports('index.d.ts', text)).toBe("export { A } from './a.js'\nexport type * from './contracts.js'\nexport { B } from './b.js'\n")
})

test('refuses types of a package that is not published', () => {
  expect(() => rewriteImports('index.d.ts', "import type { Static } from 'typebox'\n")).toThrow('index.d.ts needs the types of typebox')
})
