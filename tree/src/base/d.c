int  z ;
