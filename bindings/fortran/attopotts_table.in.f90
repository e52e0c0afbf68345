! SPDX-License-Identifier: MIT
!> Tables: rows of numbers under named columns, which theory, simulation, tuning and training give.
!@ module table uses context
  public :: atp_table, table_bytes

  !> table%column('eg') is a column by its name; columns count from 1.
  !@ type table
    procedure :: column => table_column
    procedure :: name => table_name
    procedure :: unit => table_unit
    procedure :: description => table_description
    procedure :: find => table_find
    procedure :: csv => table_csv
  end type

contains

  !@ life table
  !@ create(context, kind, capacity)
  !@ plain table_bytes(kind, capacity) -> bytes
  !@ rows
  !@ columns
  !@ capacity
  !@ kind = atp_table_kind_of
  !@ clear
  !@ values(values)
  !@ value(row, column, value)

  !> A column by its name, "eg" say, allocated to (rows); empty where it fails.
  function table_column(self, name, stat, errmsg) result(values)
    class(atp_table), intent(in) :: self
    character(len=*), intent(in) :: name
    !@ errors
    real(c_double), allocatable, target :: values(:)
    character(kind=c_char), allocatable, target :: store(:)
    integer(c_int) :: status
    allocate (values(self%rows()))
    status = atp_table_column(self%address(), c_text(store, name), c_loc(values), self%rows())
    if (status /= ATP_OK) values = [real(c_double) ::]
    call settle(status, stat, errmsg)
  end function

  !> The name of a column; empty for other numbers.
  function table_name(self, column) result(text)
    class(atp_table), intent(in) :: self
    integer, intent(in) :: column
    character(len=:), allocatable :: text
    text = text_at(atp_column_name(self%kind(), int(column - 1, c_int)))
  end function

  !> The unit of a column: empty of a plain number, the name of an enum where the numbers are its constants.
  function table_unit(self, column) result(text)
    class(atp_table), intent(in) :: self
    integer, intent(in) :: column
    character(len=:), allocatable :: text
    text = text_at(atp_column_unit(self%kind(), int(column - 1, c_int)))
  end function

  !> What a column is, in one line.
  function table_description(self, column) result(text)
    class(atp_table), intent(in) :: self
    integer, intent(in) :: column
    character(len=:), allocatable :: text
    text = text_at(atp_column_description(self%kind(), int(column - 1, c_int)))
  end function

  !> The column of a name; 0 for other names.
  integer function table_find(self, name)
    class(atp_table), intent(in) :: self
    character(len=*), intent(in) :: name
    character(kind=c_char), allocatable, target :: store(:)
    table_find = atp_column_find(self%kind(), c_text(store, name)) + 1
  end function

  !> A line of names, a line for each row.
  function table_csv(self, stat, errmsg) result(text)
    class(atp_table), intent(in) :: self
    !@ errors
    character(len=:), allocatable :: text
    character(kind=c_char), allocatable, target :: buffer(:)
    integer(c_int64_t), target :: needed
    integer(c_int) :: status
    text = ''
    needed = 0
    status = atp_table_csv(self%address(), c_null_ptr, 0_c_int64_t, c_loc(needed))
    if (status == ATP_OK) then
      allocate (buffer(needed))
      status = atp_table_csv(self%address(), c_loc(buffer), needed, c_null_ptr)
      if (status == ATP_OK) text = text_in(buffer)
    end if
    call settle(status, stat, errmsg)
  end function
end module attopotts_table
