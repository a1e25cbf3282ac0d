import type { Texts } from './en.ts'

export const texts = {
  heading: (name) => `${name} のグループとロール`,
  groups: 'グループ',
  noGroups: 'どのグループにも入っていません。',
  group: 'グループ',
  addGroup: 'グループに追加',
  removeGroup: (group) => `グループ ${group} から外す`,
  remove: '外す',
  noMoreGroups: '組織にほかのグループはありません。',
  roles: 'ロール',
  noRoles: 'ロールはありません。',
  role: 'ロール',
  roleOf: (role, resource) => `${role} (${resource})`,
  byGroup: (group) => `グループ ${group} による`,
  giveRole: 'ロールを付与',
  takeRole: (role) => `ロール ${role} を取り消す`,
  take: '取り消す',
  noMoreRoles: '組織が付与できるほかのロールはありません。',
  back: 'メンバーに戻る',
  refused:
    '何も変更されませんでした。メンバー、グループ、ロールのいずれかがもう存在しないか、上限に達しています。',
} satisfies Texts
