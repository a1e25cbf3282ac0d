import type { Texts } from './en.ts'

export const texts = {
  heading: (name) => `مجموعات ${name} وأدواره`,
  groups: 'المجموعات',
  noGroups: 'ليس في أي مجموعة.',
  group: 'المجموعة',
  addGroup: 'الإضافة إلى المجموعة',
  removeGroup: (group) => `الإزالة من المجموعة ${group}`,
  remove: 'إزالة',
  noMoreGroups: 'ليس لدى المؤسسة مجموعة أخرى.',
  roles: 'الأدوار',
  noRoles: 'ليس له أي دور.',
  role: 'الدور',
  roleOf: (role, resource) => `${role} (${resource})`,
  byGroup: (group) => `عبر المجموعة ${group}`,
  giveRole: 'منح الدور',
  takeRole: (role) => `سحب الدور ${role}`,
  take: 'سحب',
  noMoreRoles: 'لا يوجد دور آخر يحق للمؤسسات منحه.',
  back: 'العودة إلى الأعضاء',
  refused: 'لم يتغير شيء: لم يعد العضو أو المجموعة أو الدور موجودًا، أو بلغ العدد الحد المسموح.',
} satisfies Texts
