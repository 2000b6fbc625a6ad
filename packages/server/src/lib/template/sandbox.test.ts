import { describe, expect, test } from 'vitest'
import { TemplateError, TemplateSyntaxError } from './errors.ts'
import { fromJsonValue } from './json.ts'
import { renderTemplate } from './template.ts'
import { NativeFunction, TemplateObject, Time, TimeSpan, type Value } from './values.ts'

/** One value of each type that a template can reach. */
const scope = new Map<string, Value>([
  ['s', 'text'],
  ['n', 5n],
  ['f', 1.5],
  ['l', [1n, 'a']],
  ['d', fromJsonValue({ a: 1, nested: { b: [2] } })],
  ['t', new Time(0)],
  ['span', new TimeSpan(5_000_000)],
  [
    'event',
    new TemplateObject(
      'received-event',
      new Map<string, Value>([
        ['id', 'e1'],
        ['payload', fromJsonValue(JSON.parse('{"__proto__": {"polluted": 1}, "constructor": "own"}'))],
      ]),
    ),
  ],
  ['labels', new TemplateObject('labels', new Map(), { items: new Map([['a', 'b']]), text: '' })],
  ['fn', new NativeFunction('fn', () => 'called')],
])

/** Known sandbox escapes of JavaScript and Python engines. Each must render nothing or fail. */
const escapeAttempts: readonly string[] = [
  // Access to the constructor.
  's.constructor',
  's.constructor.constructor("return process")()',
  's["constructor"]["constructor"]("return 1")()',
  'l.constructor.constructor("return globalThis")()',
  'd.constructor("x")',
  'd["constructor"]["prototype"]',
  'n.constructor',
  'f.constructor.constructor',
  't.constructor',
  'span.constructor',
  'event.constructor',
  'event["constructor"]',
  'labels.constructor.constructor("return 1")()',
  'fn.constructor("return 1")()',
  'fn["constructor"]',
  'range.constructor("return process")()',
  'range["constructor"]',
  'dict.constructor',
  'cycler.constructor',
  'joiner.constructor("return this")()',
  'namespace.constructor',
  '(s ~ "").constructor',
  '[].constructor',
  '{}.constructor',
  '().constructor',
  '(1).constructor',
  '1.5.constructor',
  'true.constructor',
  'none.constructor',
  'missing.constructor.constructor("return 1")()',
  's.upper.constructor("return 1")()',
  's.upper["constructor"]',
  'd.items.constructor',
  'd.get.constructor("return 1")()',
  'l.index.constructor',
  't.strftime.constructor("return 1")()',
  's.split("").constructor',
  '(s | upper).constructor',
  '(l | map("string") | list).constructor',
  '(d | items | first).constructor',
  's | attr("constructor")',
  'd | attr("constructor") | attr("constructor")',
  'fn | attr("constructor")',
  'l | map(attribute="constructor") | join',
  '[fn] | map(attribute="constructor.constructor") | join',
  '[s] | selectattr("constructor") | join',
  '[d] | groupby("constructor.name") | map(attribute=0) | join',
  '[s] | sum(attribute="constructor")',
  '"{0.constructor}".format(s)',
  '"{0.constructor.constructor}".format(fn)',
  '"{0[constructor]}".format(d)',
  '"{x.__class__}".format(x=s)',
  '"{0.__init__.__globals__}".format(event)',
  // The prototype.
  's.__proto__',
  'd.__proto__',
  'd["__proto__"]',
  'l["__proto__"]["constructor"]',
  'event.__proto__',
  'fn.__proto__',
  'fn.prototype',
  's["__proto__"].polluted',
  'd.prototype',
  'd.__defineGetter__("a", fn)',
  'd["__defineGetter__"]',
  'd.__lookupGetter__("a")',
  'd.hasOwnProperty("a")',
  'd["hasOwnProperty"]',
  'd.toString()',
  'd["toString"]()',
  's.toString',
  'd.valueOf()',
  'l.toLocaleString()',
  'd.isPrototypeOf',
  'd.propertyIsEnumerable("a")',
  // JavaScript members of functions and lists.
  'fn.call(none)',
  'fn.apply(none, [])',
  'fn.bind(none)()',
  'fn.caller',
  'fn.arguments',
  'range.call',
  's.upper.call("x")',
  'l.push(1)',
  'l.pop()',
  'l.splice(0, 1)',
  'l.map(fn)',
  'l.reduce(fn)',
  'l.sort()',
  'l.length',
  's.length',
  's.at(0)',
  's.charCodeAt(0)',
  's.matchAll("a")',
  'd.set("a", 1)',
  'd.clear()',
  'd.delete("a")',
  'd.size',
  'd.forEach(fn)',
  'd.entries()',
  // Node globals.
  'globalThis',
  'globalThis.process.env',
  'process',
  'process.env.HOME',
  'require("fs")',
  'require',
  'module',
  'exports',
  'import("fs")',
  'eval("1")',
  'Function("return 1")()',
  'this',
  'this.constructor',
  'self',
  'self.constructor',
  'window',
  'global',
  'Buffer',
  'console',
  'Object',
  'Symbol',
  'Reflect',
  'Proxy',
  // Python internals.
  's.__class__',
  's.__class__.__mro__[1].__subclasses__()',
  's.__class__.__base__.__subclasses__()',
  '"".__class__.__mro__',
  '[].__class__.__bases__',
  'l.__len__()',
  'd.__getitem__("a")',
  'event.__dict__',
  'event.__init__.__globals__',
  'range.__globals__',
  'cycler.__init__.__globals__.os.popen("id").read()',
  'joiner.__init__.__globals__',
  'namespace.__init__.__globals__',
  'lipsum.__globals__["os"]',
  'lipsum()',
  'get_flashed_messages.__globals__',
  'config',
  'request',
  'url_for.__globals__',
  'g',
  '_self',
  'self._TemplateReference__context',
  'loop.__class__',
  's | attr("__class__")',
  's | attr("__class__") | attr("__mro__")',
  's["__cl" ~ "ass__"]',
  's | attr("__cl" "ass__")',
  's | attr(["__", "class", "__"] | join)',
  '[s] | map(attribute="__class__") | join',
  'event.model_dump()',
  'event.model_config',
  'event._private',
  'labels._labels',
  'd.update({"a": 2})',
  'd.setdefault("z", 1)',
  'd.popitem()',
  'l.append(1)',
  'l.extend([1])',
  'l.insert(0, 1)',
  'l.remove(1)',
  'l.clear()',
  's.encode("utf8")',
  's.format_map(d)',
  's.translate(d)',
  's.__mod__(1)',
  't.tzinfo',
  't.__class__',
  'fn.__code__',
  'fn.__globals__',
]

const outcomeOf = (template: string): string => {
  try {
    return renderTemplate(template, scope, { now: () => 0 })
  } catch (error) {
    if (error instanceof TemplateError || error instanceof TemplateSyntaxError) return ''
    throw error
  }
}

describe('the sandbox', () => {
  test.each(escapeAttempts)('blocks %s', (expression) => {
    expect(outcomeOf(`{{ ${expression} }}`)).toBe('')
  })

  test('blocks JavaScript names in loops, tests, filters and arguments', () => {
    for (const name of ['constructor', '__proto__', 'toString', '__class__', 'prototype']) {
      expect(outcomeOf(`{% for x in s.${name} %}{{ x }}{% endfor %}`)).toBe('')
      expect(outcomeOf(`{{ s is ${name} }}`)).toBe('')
      expect(outcomeOf(`{{ s | ${name} }}`)).toBe('')
      expect(outcomeOf(`{% set x = namespace() %}{% set x.${name} = 1 %}`)).toBe('')
      expect(outcomeOf(`{{ l | map("${name}") | join }}`)).toBe('')
      expect(outcomeOf(`{{ l | select("${name}") | join }}`)).toBe('')
      expect(outcomeOf(`{{ fn(${name}=1) | replace("called", "") }}`)).toBe('')
      expect(outcomeOf(`{{ s | default(${name}=1) }}`)).toBe('')
      expect(outcomeOf(`{% macro m(${name}=1) %}{% endmacro %}{{ m(${name}=2) }}`)).toBe('')
    }
  })

  test('returns user data under such names', () => {
    expect(outcomeOf('{{ event.payload.constructor }}')).toBe('own')
    expect(outcomeOf('{{ event.payload["__proto__"].polluted }}')).toBe('1')
    expect(outcomeOf('{{ {"__proto__": 5}["__proto__"] }}')).toBe('5')
  })

  test('changes no prototype and no input', () => {
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
    expect(Object.keys(Object.prototype)).toEqual([])
    expect(scope.get('d')).toEqual(fromJsonValue({ a: 1, nested: { b: [2] } }))
    expect(scope.get('l')).toEqual([1n, 'a'])
  })
})
