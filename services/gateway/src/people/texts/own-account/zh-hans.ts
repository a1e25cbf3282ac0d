import type { OwnAccountTexts } from './en.ts'

/** The pages of what people do with their own data and their account as a whole, in simplified Chinese. */
export const ownAccountZhHans: OwnAccountTexts = {
  heading: '所保存的有关您的信息',
  lastUsed: (time) => `上次使用：${time}`,
  place: (city, country) => `${country} ${city}`,
  data: {
    title: '下载您的数据',
    lead: '您会得到一个文件，其中包含此处保存的有关您的所有信息：您的资料、可以访问您账户的应用、您的登录位置和登录方式、最近 30 天的登录记录，以及发送给您的邮件。',
    hint: '文件采用 JSON 格式，供程序使用，人也可以阅读。其中没有密码和验证码。请妥善保管，不要给他人。',
    submit: '下载文件',
  },
  deletion: {
    title: '删除您的账户',
    lead: '此操作无法撤销。任何人都无法恢复该账户，管理员也不能。',
    consequences: [
      '您会在所有地方退出登录。',
      '应用会立即失去访问权限。应用自己保存的内容仍留在应用那里。',
      '您的资料、通行密钥和其他登录方式、登录记录和邮件都会被删除。',
    ],
    downloadFirst: '先下载您的数据',
    confirm: (user) => `如要确认，请输入您的用户名：${user}`,
    label: '您的用户名',
    submit: '永久删除账户',
    wrong: '这不是您的用户名。未删除任何内容。',
    lastOwner:
      '您是此服务器上最后一位拥有全部管理权限的人，因此无法删除您的账户。请先将全部管理权限授予其他人。',
    off: '在此服务器上，只有管理员可以删除账户。',
  },
  deleted: {
    heading: '您的账户已删除',
    lead: '您已在所有地方退出登录，应用已失去访问权限。您现在可以关闭此页面。',
  },
  scopes: {
    email: '查看您的电子邮件地址（在您添加之后）',
    profile: '查看您的用户名，以及您的个人资料（在您填写之后）',
  },
}
