import { DomainError } from '../kernel/domain-error.ts'
import { loadStatements } from '../platform/db/sql-file.ts'
import type { Queryable } from '../platform/db/db.ts'
import type { PartnerAdminErrorCode } from './partner-errors.ts'

const sql = loadStatements(new URL('./partners-rows.sql', import.meta.url), ['find_partners'])

/** The one partner of this id, ref or whole name; DomainError `partner_not_found`, `partner_ambiguous`. */
export async function findPartner(db: Queryable, partner: string): Promise<{ id: string; name: string }> {
  const [found, ...others] = await db.query<{ id: string; name: string }>(sql.find_partners, [partner])
  if (!found) throw new DomainError<PartnerAdminErrorCode>('partner_not_found', { partner })
  if (others.length > 0) throw new DomainError<PartnerAdminErrorCode>('partner_ambiguous', { partner })
  return found
}
