import type { Texts } from './en.ts'

export const texts = {
  heading: (name) => `${name} 的组和角色`,
  groups: '组',
  noGroups: '不属于任何组。',
  group: '组',
  addGroup: '加入组',
  removeGroup: (group) => `移出组 ${group}`,
  remove: '移出',
  noMoreGroups: '组织没有其他组。',
  roles: '角色',
  noRoles: '没有角色。',
  role: '角色',
  roleOf: (role, resource) => `${role}（${resource}）`,
  byGroup: (group) => `通过组 ${group}`,
  giveRole: '授予角色',
  takeRole: (role) => `收回角色 ${role}`,
  take: '收回',
  noMoreRoles: '没有组织可授予的其他角色。',
  back: '返回成员',
  refused: '未做任何更改：成员、组或角色已不存在，或已达上限。',
} satisfies Texts
