import { apply } from './apply.ts'
import { describe } from './describe.ts'
import { FINDABLE, FINDING, find } from './find.ts'
import { type Arguments, mayWrite } from './operations.ts'
import { plan } from './plan.ts'
import { MAX_ITEMS } from './plan-items.ts'
import { read } from './read.ts'
import { REPORTS, report } from './report.ts'
import { storeInfo } from './store-info.ts'
import type { ToolContext } from './tool-context.ts'

/** A JSON Schema. */
type ToolShape = { [key: string]: string | number | string[] | ToolShape }

export interface Tool {
  name: string
  title: string
  description: string
  inputSchema: { type: 'object'; properties?: Record<string, ToolShape>; required?: string[] }
  annotations: { readOnlyHint: boolean; destructiveHint: boolean; idempotentHint: boolean; openWorldHint: boolean }
  /** It is listed to callers who have one of these permissions. Not given: to all. */
  needs?: readonly string[]
  run: (context: ToolContext, args: Arguments) => Promise<unknown>
}

const LOOKS = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false }

const text = (description: string) => ({ type: 'string', description })
const object = (description: string) => ({ type: 'object', description })

const READING: readonly Tool[] = [
  {
    name: 'store_info',
    title: 'About the store',
    description:
      'The store: name, currency, time zone, languages, what you may do, and how much there is of everything.',
    inputSchema: { type: 'object' },
    annotations: LOOKS,
    run: (context) => storeInfo(context),
  },
  {
    name: 'find',
    title: 'Find',
    description:
      'Finds orders, products, customers, reviews and landing pages by words: names, phone numbers, emails, order refs, ' +
      'SKUs. Returns ids, one line each, and the address in the console.',
    inputSchema: {
      type: 'object',
      properties: {
        words: text('What to look for.'),
        in: {
          type: 'array',
          items: { type: 'string', enum: FINDABLE },
          description: 'Where. Everywhere, if not given.',
        },
      },
      required: ['words'],
    },
    annotations: LOOKS,
    needs: FINDING,
    run: find,
  },
  {
    name: 'read',
    title: 'Read',
    description:
      'Any operation that reads, such as getOrder or listProducts. describe lists them. A result has at most 25 kB; ' +
      'then it says what was left out, and cursor goes on.',
    inputSchema: {
      type: 'object',
      properties: {
        operation: text('For example getOrder.'),
        arguments: object('Path and query parameters by name, for example {"id": "…"} or {"status": "paid"}.'),
        fields: {
          type: 'array',
          items: { type: 'string' },
          description: 'Only these, as dotted paths: ["id", "default.price"].',
        },
        cursor: text('Of the result before.'),
      },
      required: ['operation'],
    },
    annotations: LOOKS,
    run: read,
  },
  {
    name: 'report',
    title: 'Report',
    description: 'Figures of a period, each compared with the period of the same length before it.',
    inputSchema: {
      type: 'object',
      properties: {
        about: { type: 'string', enum: REPORTS },
        from: text('First day, as 2026-01-31. 30 days ago, if not given.'),
        to: text('Last day. Today, if not given.'),
      },
      required: ['about'],
    },
    annotations: LOOKS,
    needs: ['analytic:view'],
    run: report,
  },
  {
    name: 'describe',
    title: 'Describe operations',
    description:
      'Without arguments: all operations, one line each. With operation: its arguments, fields and an example.',
    inputSchema: { type: 'object', properties: { operation: text('For example updateProduct.') } },
    annotations: LOOKS,
    run: describe,
  },
]

const WRITING: readonly Tool[] = [
  {
    name: 'plan',
    title: 'Plan changes',
    description:
      `Tries one operation that writes, for up to ${MAX_ITEMS} items, and changes nothing. Answers what would change, ` +
      'before and after, what would be refused, and a plan for apply. Always show the user before you apply. Pass items, ' +
      'or filter and change: {"operation": "updateProduct", "filter": {"operation": "listProducts", "arguments": ' +
      '{"search": "mug"}}, "change": {"price": {"$multiply": 1.05, "$of": "default.price"}}}.',
    inputSchema: {
      type: 'object',
      properties: {
        operation: text('For example updateOrder.'),
        items: {
          type: 'array',
          maxItems: MAX_ITEMS,
          items: object('Path parameters and body fields together: {"id": "…", "status": "paid"}.'),
        },
        filter: object('A list whose rows are changed: {"operation": "listProducts", "arguments": {…}}.'),
        change: object(
          'With filter: body fields. A number may be {"$multiply": 1.05} or {"$add": 2}, with "$of", "$round".',
        ),
      },
      required: ['operation'],
    },
    annotations: { ...LOOKS, idempotentHint: false },
    run: plan,
  },
  {
    name: 'apply',
    title: 'Apply a plan',
    description:
      'Carries out a plan, within 5 minutes and once. An item that has changed since is refused and reported. After an ' +
      'interruption, apply the same plan again: it goes on.',
    inputSchema: { type: 'object', properties: { plan: text('As plan has returned it.') }, required: ['plan'] },
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
    run: apply,
  },
]

type Asked = Pick<ToolContext, 'mode' | 'operations' | 'permissions'>

/** The tools that this caller may use. */
export const toolsFor = ({ mode, operations, permissions }: Asked): readonly Tool[] => {
  const reading = READING.filter(({ needs }) => !needs || needs.some((permission) => permissions.has(permission)))
  return mode === 'write' && mayWrite(operations, permissions) ? [...reading, ...WRITING] : reading
}

/** Whether there is such a tool for others, and a permission that this caller would need for it. */
export const hiddenTool = (name: string, { mode }: Asked) => {
  const isNamed = (tool: Tool) => tool.name === name
  if (WRITING.some(isNamed)) return { permission: mode === 'write' ? 'order:update' : undefined }
  const tool = READING.find(isNamed)
  return tool && { permission: tool.needs?.[0] }
}
