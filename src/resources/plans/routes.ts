import { Type } from 'typebox'
import type { Config } from '../../config/config.ts'
import type { Api } from '../../core/http/api.ts'
import { writeOnce } from '../../core/http/idempotency.ts'
import { sendJson } from '../../core/http/json-reply.ts'
import { data, errors, nullable, ref } from '../../core/input/schemas.ts'
import type { Db } from '../../core/storage/database.ts'
import { PlanChoice, PlanSchema, PlanSwitch, SubscriptionSchema, Use } from './schema.ts'
import { choosePlan } from './switch-plan.ts'
import { readPlans } from './text.ts'

export const planRoutes = (app: Api, { db, config }: { db: Db; config: Config }) => {
  app.get(
    '/plan',
    {
      config: { access: 'installation', extension: true },
      schema: {
        operationId: 'listPlans',
        summary: 'List the plans on offer, the plan of the store and what it uses',
        response: {
          200: data({
            plans: Type.Array(ref(PlanSchema)),
            subscription: nullable(ref(SubscriptionSchema)),
            use: Use,
          }),
          ...errors,
        },
      },
    },
    async ({ store }, reply) => sendJson(reply, JSON.stringify({ data: await readPlans(db, store) })),
  )

  app.post(
    '/plan/switch',
    {
      config: { permission: 'plan:switch', extension: true },
      schema: {
        operationId: 'switchPlan',
        summary: 'Switch the store to another plan',
        description:
          'To a plan that costs more: at once, and an invoice charges the rest of the period less what was paid for it. To ' +
          'a cheaper plan or one in another currency: at the end of the period. To the current plan: cancels a switch that ' +
          'has not happened yet. A plan that is too small for what the store uses is refused with 403 `plan_limit`. A dry run shows the amount.',
        body: PlanChoice,
        response: { 200: data({ plan_switch: ref(PlanSwitch) }), ...errors },
      },
    },
    async ({ body, store }, reply) =>
      writeOnce(db, reply, { status: 200, key: 'plan_switch' }, async (db) =>
        JSON.stringify(await choosePlan(db, config, store, body.plan_id)),
      ),
  )
}
